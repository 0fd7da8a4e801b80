"""Travel around obstacles: ways over a plane, around a cube or searched, rounded and timed."""
