"""Calibration of serial arms: which geometric parameters measurements tell, and what they are."""
