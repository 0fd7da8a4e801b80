"""Sampling: probe points on a feature."""

from parts.points.csv_file import points_csv as points_csv
from parts.sampling.layouts import STRATEGIES as STRATEGIES
from parts.sampling.layouts import Design as Design
from parts.sampling.layouts import design_of as design_of
from parts.sampling.layouts import minimum_count as minimum_count
from parts.sampling.layouts import star_discrepancy as star_discrepancy
from parts.sampling.sample import AccessLimits as AccessLimits
from parts.sampling.sample import Sample as Sample
from parts.sampling.sample import count_for as count_for
from parts.sampling.sample import sample as sample
from parts.sampling.sample import stylus_fits as stylus_fits
