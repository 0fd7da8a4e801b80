"""``palpeur stewart …``: commands about Stewart-Gough platforms."""
