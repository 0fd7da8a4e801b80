"""Jobs proposed from what a part's drawing asks for."""
