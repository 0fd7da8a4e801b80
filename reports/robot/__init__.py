"""The page of one robot: the arm in 3D, a slider for each joint, limits, reach."""
