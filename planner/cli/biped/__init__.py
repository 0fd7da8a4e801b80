"""``palpeur biped``: robots that stand, and whether they do."""
