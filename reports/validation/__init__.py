"""Validation: a plan judged by roads that share nothing with those that made it."""

from reports.validation.check import Check as Check
from reports.validation.check import Location as Location
from reports.validation.check import Validation as Validation
from reports.validation.text import validation_text as validation_text
from reports.validation.validate import validate as validate
