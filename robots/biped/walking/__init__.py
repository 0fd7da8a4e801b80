"""Walking: gait, preview control, inverse geometry of the legs, loads on the feet."""
