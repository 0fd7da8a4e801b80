"""Uncertainty of the points of a job: arm, probe, temperature, alignment, presenter."""
