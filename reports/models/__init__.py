"""Answers of the model commands: a robot, its models, analyses and calibration, as documents."""
