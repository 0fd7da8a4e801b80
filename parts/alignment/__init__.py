"""Alignment: where the part stands before the robot."""

from parts.alignment.alignment import Alignment as Alignment
from parts.alignment.alignment import Convergence as Convergence
from parts.alignment.alignment import fixed as fixed
from parts.alignment.best_fit import Nearest as Nearest
from parts.alignment.best_fit import best_fit_points as best_fit_points
from parts.alignment.best_fit import best_fit_surface as best_fit_surface
from parts.alignment.best_fit import nearest_on as nearest_on
from parts.alignment.best_fit import nearest_on_surface as nearest_on_surface
from parts.alignment.datums import DatumPlane as DatumPlane
from parts.alignment.datums import ReferencePoints as ReferencePoints
from parts.alignment.datums import reference_points as reference_points
from parts.alignment.datums import three_two_one as three_two_one
from parts.alignment.refinement import Contacts as Contacts
