"""Sampling: probe points on a feature."""
