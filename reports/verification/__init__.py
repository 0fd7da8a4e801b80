"""Verification of a report set: hashes, and the plan recomputed from its inputs."""

from reports.verification.document import verified_document as verified_document
from reports.verification.document import verified_lines as verified_lines
from reports.verification.record import Record as Record
from reports.verification.record import read_record as read_record
from reports.verification.verified import Verified as Verified
from reports.verification.verified import verify as verify
