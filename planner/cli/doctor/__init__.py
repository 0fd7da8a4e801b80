"""``palpeur doctor``: whether this machine and this installation are fit, and how well."""

from planner.cli.doctor.machine import processor as processor
from planner.cli.doctor.report import print_caps as print_caps
from planner.cli.doctor.report import print_diagnosis as print_diagnosis
