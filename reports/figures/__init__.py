"""Figures of a plan: curves of every joint, total power, and the path of the ball."""
