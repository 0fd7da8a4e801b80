"""The cell in three dimensions: arm, part, points, path and motion, as a page and as glTF."""
