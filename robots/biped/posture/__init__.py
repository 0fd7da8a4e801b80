"""Standing still: ground, support polygon, centre of mass, zero-moment point, verdict."""
