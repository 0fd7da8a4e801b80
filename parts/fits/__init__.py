"""Fits: features from measured points, with their certificates and covariances."""
