"""Kernels: recorded programmes as batch functions, on NumPy or as machine code."""

from robots.core.kernels.kernel import Engine as Engine
from robots.core.kernels.kernel import Kernel as Kernel
