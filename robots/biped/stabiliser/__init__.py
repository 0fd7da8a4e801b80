"""The postural stabiliser of [GASTEBOIS17] and the leg that it keeps standing."""
