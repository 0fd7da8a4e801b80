"""Reports of a platform's motion: figures, table, page with 3D replay."""
