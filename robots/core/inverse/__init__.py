"""Numerical inverse models: geometry, first and second order, with a verdict on every answer."""

from robots.core.inverse.differential import Damping as Damping
from robots.core.inverse.differential import JointRates as JointRates
from robots.core.inverse.differential import joint_accelerations as joint_accelerations
from robots.core.inverse.differential import joint_velocities as joint_velocities
from robots.core.inverse.solver import Answer as Answer
from robots.core.inverse.solver import Method as Method
from robots.core.inverse.solver import Settings as Settings
from robots.core.inverse.solver import Solutions as Solutions
from robots.core.inverse.solver import solve as solve
from robots.core.inverse.solver import solve_many as solve_many
from robots.core.inverse.task import Target as Target
from robots.core.inverse.task import Task as Task
