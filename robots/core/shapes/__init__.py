"""Shapes of links: their meshes, and capsules that are proven to contain them."""

from robots.core.shapes.capsule_fit import CapsuleFit as CapsuleFit
from robots.core.shapes.capsule_fit import Stadium as Stadium
from robots.core.shapes.capsule_fit import fit_capsules as fit_capsules
from robots.core.shapes.capsule_fit import uncovered as uncovered
from robots.core.shapes.link_shapes import LinkMesh as LinkMesh
from robots.core.shapes.link_shapes import LinkShape as LinkShape
from robots.core.shapes.link_shapes import UrdfShapes as UrdfShapes
from robots.core.shapes.link_shapes import link_meshes as link_meshes
from robots.core.shapes.link_shapes import shapes_of as shapes_of
from robots.core.shapes.mesh_files import MeshFile as MeshFile
from robots.core.shapes.mesh_files import MeshFolder as MeshFolder
