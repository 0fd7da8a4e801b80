"""Small errors in every geometric parameter of a serial arm, and what they do to its tip."""

from robots.core.geometric_errors.error_model import ErrorModel as ErrorModel
from robots.core.geometric_errors.error_model import record_probe as record_probe
from robots.core.geometric_errors.error_model import tip_of as tip_of
from robots.core.geometric_errors.parameters import ErrorKind as ErrorKind
from robots.core.geometric_errors.parameters import GeometricParameter as GeometricParameter
from robots.core.geometric_errors.parameters import geometric_parameters as geometric_parameters
