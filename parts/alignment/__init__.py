"""Alignment: where the part stands before the robot."""
