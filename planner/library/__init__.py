"""Jobs as data: the published nine-point job, as printed and corrected."""

from planner.library.catalogue import names as names
from planner.library.catalogue import path_of as path_of
