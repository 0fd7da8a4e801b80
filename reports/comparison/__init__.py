"""Two plans side by side: what changed, for the better or the worse, and rules about it."""
