"""Whether this machine and this installation are fit, and how well."""

from planner.doctor.installation import Diagnosis as Diagnosis
from planner.doctor.installation import Health as Health
from planner.doctor.machine import diagnoses as diagnoses
