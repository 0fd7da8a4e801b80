"""Scenarios of a biped; each returns a ``BipedMotion``."""
