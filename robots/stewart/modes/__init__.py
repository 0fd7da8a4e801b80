"""All assembly modes: the polynomial system of a platform, continuation and its certificate."""
