"""Visiting order and branches of least total time."""
