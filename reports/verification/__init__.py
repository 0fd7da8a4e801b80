"""Verification of a report set: hashes, and the plan recomputed from its inputs."""
