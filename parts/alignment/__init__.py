"""Alignment: where the part stands before the robot."""

from parts.alignment.alignment import Alignment as Alignment
from parts.alignment.alignment import Convergence as Convergence
from parts.alignment.best_fit_points import best_fit_points as best_fit_points
from parts.alignment.best_fit_surface import Nearest as Nearest
from parts.alignment.best_fit_surface import best_fit_surface as best_fit_surface
from parts.alignment.best_fit_surface import nearest_on as nearest_on
from parts.alignment.best_fit_surface import nearest_on_surface as nearest_on_surface
from parts.alignment.fixed import fixed as fixed
from parts.alignment.reference_points import ReferencePoints as ReferencePoints
from parts.alignment.reference_points import reference_points as reference_points
from parts.alignment.refinement import Contacts as Contacts
from parts.alignment.three_two_one import DatumPlane as DatumPlane
from parts.alignment.three_two_one import three_two_one as three_two_one
