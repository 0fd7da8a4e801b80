"""Measured speed of kernels, and Pinocchio as the peer to measure against."""
