"""Tests of a machine in the style of ISO 10360-12, predicted from its errors."""

from planner.virtual_measuring.machine_tests.run import machine_tests as machine_tests
from planner.virtual_measuring.machine_tests.run import with_stylus as with_stylus
from planner.virtual_measuring.machine_tests.types import TESTS as TESTS
from planner.virtual_measuring.machine_tests.types import MachineTests as MachineTests
from planner.virtual_measuring.machine_tests.types import TestBench as TestBench
from planner.virtual_measuring.machine_tests.types import TestLine as TestLine
from planner.virtual_measuring.machine_tests.types import bench_of as bench_of
