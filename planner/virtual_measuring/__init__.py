"""Virtual measuring: jobs measured with injected errors, numbers of points, machine tests."""

from planner.virtual_measuring.enough_points import PointCount as PointCount
from planner.virtual_measuring.enough_points import PointCountRequest as PointCountRequest
from planner.virtual_measuring.enough_points import PointCountTrial as PointCountTrial
from planner.virtual_measuring.enough_points import points_for as points_for
from planner.virtual_measuring.layout import LAYOUTS as LAYOUTS
from planner.virtual_measuring.layout import check_layout as check_layout
from planner.virtual_measuring.measuring import CONTENTS as CONTENTS
from planner.virtual_measuring.measuring import MOST_RUNS as MOST_RUNS
from planner.virtual_measuring.measuring import VirtualMeasurement as VirtualMeasurement
from planner.virtual_measuring.measuring import measure_virtually as measure_virtually
from planner.virtual_measuring.measuring import measured_csv as measured_csv
from planner.virtual_measuring.true_part import FARTHEST as FARTHEST
from planner.virtual_measuring.true_part import PartErrors as PartErrors
from planner.virtual_measuring.true_part import check_features as check_features
