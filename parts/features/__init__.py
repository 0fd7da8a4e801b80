"""Features: bounded pieces of a part that are measured as one thing."""

from parts.features.band import Band as Band
from parts.features.feature import KINDS as KINDS
from parts.features.feature import Feature as Feature
from parts.features.feature import choose_feature as choose_feature
from parts.features.feature import feature_of_face as feature_of_face
from parts.features.feature import feature_of_numbers as feature_of_numbers
from parts.features.mesh_patch import Rim as Rim
from parts.features.mesh_patch import SkinPatch as SkinPatch
from parts.features.mesh_patch import rim_of as rim_of
from parts.features.patch import Patch as Patch
from parts.features.patch import Rectangle as Rectangle
from parts.features.patch import SurfaceCircle as SurfaceCircle
from parts.features.patch import SurfaceLine as SurfaceLine
from parts.features.patch import SurfacePoints as SurfacePoints
