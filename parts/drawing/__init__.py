"""Drawings: what a CAD file says of its part beside the shape."""
