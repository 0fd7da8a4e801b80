"""Composite models: robots made of sub-robots of which only the models are known."""
