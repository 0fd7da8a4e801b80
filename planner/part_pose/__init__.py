"""Where the part should stand before the robot, and how far it may be off that place."""
