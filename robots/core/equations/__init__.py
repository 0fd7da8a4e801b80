"""The equations of a tree mechanism, each once, over scalars they never look into."""
