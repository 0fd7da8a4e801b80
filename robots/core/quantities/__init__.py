"""The quantities that can be recorded for a mechanism.

One entry in ``kinematics`` or ``dynamics`` makes a quantity available as a number, a compiled batch
function, an operation count and an export.
"""

from robots.core.quantities.definition import Quantity as Quantity
from robots.core.quantities.registry import QUANTITIES as QUANTITIES
from robots.core.quantities.registry import defined as defined
from robots.core.quantities.registry import operation_counts as operation_counts
from robots.core.quantities.registry import quantity as quantity
