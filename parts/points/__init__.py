"""Probe points: what they are, and the readers of the trade's point files."""

from parts.points.compensation import ball_text as ball_text
from parts.points.compensation import calibrated_ball as calibrated_ball
from parts.points.compensation import same_ball as same_ball
from parts.points.compensation import surface_points as surface_points
from parts.points.door import FORMATS as FORMATS
from parts.points.door import found_points as found_points
from parts.points.door import read_points as read_points
from parts.points.found import FoundPoints as FoundPoints
from parts.points.probe_points import ProbePoints as ProbePoints
from parts.points.scale_guard import check_scale as check_scale
from parts.points.source import Compensation as Compensation
from parts.points.source import PointSource as PointSource
from parts.points.source import Untaken as Untaken
from parts.points.surface_normals import JudgedBy as JudgedBy
from parts.points.surface_normals import NormalReport as NormalReport
from parts.points.surface_normals import with_surface_normals as with_surface_normals
from parts.points.surface_scale import SurfaceScale as SurfaceScale
from parts.points.surface_scale import surface_scale as surface_scale
