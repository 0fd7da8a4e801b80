"""Symbols: equations for people to read, and source code for other machines."""
