"""Motions in time: probing lines, travels, timing, loads, exact peaks, the trajectory."""
