"""Features: bounded pieces of a part that are measured as one thing."""
