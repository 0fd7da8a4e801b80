"""Reports of a biped's motion: figures, tables, page with 3D replay."""
