"""Evaluation of measured points: deviations, form, orientation, position, tolerances."""
