"""Measured speed of kernels, and Pinocchio as the peer to measure against."""

from robots.core.benchmark.kernels import Benchmark as Benchmark
from robots.core.benchmark.kernels import benchmark as benchmark
from robots.core.benchmark.kernels import try_compiler as try_compiler
from robots.core.benchmark.kernels import why_without_peer as why_without_peer
from robots.core.benchmark.pinocchio_peer import PinocchioPeer as PinocchioPeer
