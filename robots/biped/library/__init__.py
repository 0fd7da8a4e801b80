"""Bipeds as data."""
