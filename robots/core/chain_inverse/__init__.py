"""Inverse models of whole chains: every posture of a pose, derived from the axes alone."""
