"""Calibration of serial arms: which geometric parameters measurements tell, and what they are."""

from robots.core.identification.calibration import ArmCalibration as ArmCalibration
from robots.core.identification.calibration import MeasurementOutlier as MeasurementOutlier
from robots.core.identification.calibration import Misfit as Misfit
from robots.core.identification.calibration import ValidationMisfit as ValidationMisfit
from robots.core.identification.calibration import calibrate as calibrate
from robots.core.identification.calibration import nominal_misfit as nominal_misfit
from robots.core.identification.errors import IdentificationError as IdentificationError
from robots.core.identification.errors import NotIdentifiableError as NotIdentifiableError
from robots.core.identification.measurements import ArmMeasurements as ArmMeasurements
from robots.core.identification.measurements import ArmNoise as ArmNoise
from robots.core.identification.measurements import MeasurementKind as MeasurementKind
from robots.core.identification.measurements import Prior as Prior
from robots.core.identification.posture_plan import Criterion as Criterion
from robots.core.identification.posture_plan import PosturePlan as PosturePlan
from robots.core.identification.posture_plan import Site as Site
from robots.core.identification.posture_plan import plan_postures as plan_postures
