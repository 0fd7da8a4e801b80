"""The part on a hexapod: platform poses by which the robot can measure every point."""
