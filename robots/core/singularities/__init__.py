"""Singular postures: what is lost, of which type, and the equations that name them."""
