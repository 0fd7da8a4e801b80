"""The part on a hexapod: platform poses by which the robot can serve every point."""
