"""Uncertainty of the points of a job: arm, probe, temperature, alignment, presenter."""

from planner.uncertainty.first_order import FirstOrder as FirstOrder
from planner.uncertainty.first_order import first_order as first_order
from planner.uncertainty.first_order import joint_covariance as joint_covariance
from planner.uncertainty.job_uncertainty import JobUncertainty as JobUncertainty
from planner.uncertainty.job_uncertainty import uncertainty_of as uncertainty_of
from planner.uncertainty.measuring import Carrier as Carrier
from planner.uncertainty.measuring import Measuring as Measuring
from planner.uncertainty.measuring import measuring_of as measuring_of
from planner.uncertainty.measuring import measuring_of_presentation as measuring_of_presentation
from planner.uncertainty.monte_carlo import PointDraws as PointDraws
from planner.uncertainty.monte_carlo import draws as draws
from planner.uncertainty.monte_carlo import monte_carlo as monte_carlo
from planner.uncertainty.points import branch_findings as branch_findings
from planner.uncertainty.points import point_uncertainties as point_uncertainties
from planner.uncertainty.types import BranchSigma as BranchSigma
from planner.uncertainty.types import Budget as Budget
from planner.uncertainty.types import PointUncertainty as PointUncertainty
from planner.uncertainty.types import Sensitivity as Sensitivity
