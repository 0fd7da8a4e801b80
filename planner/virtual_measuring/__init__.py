"""Virtual measuring: jobs measured with injected errors, numbers of points, machine tests."""
