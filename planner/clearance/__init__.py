"""Clearance: the cell, distances to it, and motions proven to keep them."""
