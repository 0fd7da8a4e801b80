"""Analytic surfaces of CAD faces."""

from parts.geometry.surfaces.cone import Cone as Cone
from parts.geometry.surfaces.cylinder import Cylinder as Cylinder
from parts.geometry.surfaces.plane import Plane as Plane
from parts.geometry.surfaces.sphere import Sphere as Sphere
from parts.geometry.surfaces.surface import Surface as Surface
from parts.geometry.surfaces.torus import Torus as Torus
