"""Features: bounded pieces of a part that are measured as one thing."""

from parts.features.band import Band as Band
from parts.features.by_numbers import feature_of_numbers as feature_of_numbers
from parts.features.choose import choose_feature as choose_feature
from parts.features.curves import Circle as Circle
from parts.features.curves import Line as Line
from parts.features.feature import KINDS as KINDS
from parts.features.feature import Feature as Feature
from parts.features.from_face import feature_of_face as feature_of_face
from parts.features.patch import Patch as Patch
from parts.features.patch import SurfacePoints as SurfacePoints
from parts.features.rectangle import Rectangle as Rectangle
from parts.features.rim import Rim as Rim
from parts.features.rim import rim_of as rim_of
from parts.features.skin_patch import SkinPatch as SkinPatch
