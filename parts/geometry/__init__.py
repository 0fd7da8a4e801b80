"""Part geometry: import, audit, faces, closest points."""

from parts.geometry.audit import Audit as Audit
from parts.geometry.audit import audit as audit
from parts.geometry.geometry import ClosestPoints as ClosestPoints
from parts.geometry.geometry import Face as Face
from parts.geometry.geometry import Geometry as Geometry
from parts.geometry.load import Sheets as Sheets
from parts.geometry.load import load_geometry as load_geometry
from parts.geometry.mesh import TriangleMesh as TriangleMesh
from parts.geometry.surfaces import Cone as Cone
from parts.geometry.surfaces import Cylinder as Cylinder
from parts.geometry.surfaces import Plane as Plane
from parts.geometry.surfaces import Sphere as Sphere
from parts.geometry.surfaces import Surface as Surface
from parts.geometry.surfaces import Torus as Torus
