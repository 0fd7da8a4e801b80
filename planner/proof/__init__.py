"""Proof: a plan checked by methods that share nothing with those that made it."""

from planner.proof.check import Check as Check
from planner.proof.check import Location as Location
from planner.proof.proof import Proof as Proof
from planner.proof.proof import prove as prove
