"""Marries parts and robots in time: a job in, a proven plan out."""
