"""What is measured: meshes, probe points, features, fits; knows no robot."""
