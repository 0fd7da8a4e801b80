"""Evaluation of a job: measured points in, verdicts and findings out."""
