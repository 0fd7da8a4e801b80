"""The model core: what a mechanism is and how it moves, shared by every robot of the house."""
