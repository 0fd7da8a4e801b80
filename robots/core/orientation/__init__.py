"""Orientation: rotations, axis and angle, the two sets of three angles."""
