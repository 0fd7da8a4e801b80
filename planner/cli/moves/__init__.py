"""`palpeur motion`: one motion in joint space or along a straight line."""
