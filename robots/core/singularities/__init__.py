"""Singular postures: what is lost, of which type, and the equations that name them."""

from robots.core.singularities.analysis import LostDirection as LostDirection
from robots.core.singularities.analysis import NearestSingularity as NearestSingularity
from robots.core.singularities.analysis import Singularity as Singularity
from robots.core.singularities.analysis import SingularityKind as SingularityKind
from robots.core.singularities.analysis import SingularPosture as SingularPosture
from robots.core.singularities.analysis import analyse as analyse
from robots.core.singularities.analysis import natural_task as natural_task
from robots.core.singularities.analysis import search_starts as search_starts
from robots.core.singularities.analysis import singular_postures as singular_postures
from robots.core.singularities.determinant import Condition as Condition
from robots.core.singularities.determinant import Determinant as Determinant
from robots.core.singularities.determinant import SingularSet as SingularSet
from robots.core.singularities.determinant import SingularSets as SingularSets
from robots.core.singularities.determinant import determinant as determinant
from robots.core.singularities.determinant import singular_sets as singular_sets
