"""Transmissions: from joints to the motors that drive them, and back."""
