"""The probing cycle: approach, search, trigger, stop, back-off, retract."""
