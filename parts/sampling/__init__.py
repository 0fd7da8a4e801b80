"""Sampling: probe points on a feature."""

from parts.sampling.design import Design as Design
from parts.sampling.design import design_of as design_of
from parts.sampling.design import least_count as least_count
from parts.sampling.discrepancy import star_discrepancy as star_discrepancy
from parts.sampling.ground import Reach as Reach
from parts.sampling.layouts import STRATEGIES as STRATEGIES
from parts.sampling.points_csv import points_csv as points_csv
from parts.sampling.sample import Sample as Sample
from parts.sampling.sample import count_for as count_for
from parts.sampling.sample import sample as sample
from parts.sampling.stylus_fit import stylus_fits as stylus_fits
