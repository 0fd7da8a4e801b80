"""Probe points: what they are, and the readers of the trade's point files."""

from parts.points.point_files import FORMATS as FORMATS
from parts.points.point_files import read_points as read_points
from parts.points.point_files import read_raw_points as read_raw_points
from parts.points.probe_points import ProbePoints as ProbePoints
from parts.points.probe_points import joined as joined
from parts.points.raw_points import Compensation as Compensation
from parts.points.raw_points import PointSource as PointSource
from parts.points.raw_points import RawPoints as RawPoints
from parts.points.raw_points import SkippedItem as SkippedItem
from parts.points.raw_points import ball_text as ball_text
from parts.points.raw_points import calibrated_ball as calibrated_ball
from parts.points.raw_points import same_ball as same_ball
from parts.points.raw_points import surface_points as surface_points
from parts.points.surface_checks import NormalCheck as NormalCheck
from parts.points.surface_checks import NormalReport as NormalReport
from parts.points.surface_checks import SurfaceScale as SurfaceScale
from parts.points.surface_checks import check_scale as check_scale
from parts.points.surface_checks import surface_scale as surface_scale
from parts.points.surface_checks import with_surface_normals as with_surface_normals
