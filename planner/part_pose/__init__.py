"""Best pose of the part before the robot, and its tolerance."""
