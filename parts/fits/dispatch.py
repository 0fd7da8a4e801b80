"""One door to the fits: by name of the feature."""

from __future__ import annotations

from typing import Unpack

from numpy.typing import ArrayLike

from parts.fits.circle import FlatCircleModel
from parts.fits.cone import ConeModel
from parts.fits.cylinder import CylinderModel
from parts.fits.errors import FitError
from parts.fits.fitted import Fit
from parts.fits.line import FlatLineModel, SpaceLineModel
from parts.fits.model import Model
from parts.fits.plane import PlaneModel
from parts.fits.solve import Options, solve
from parts.fits.space_circle import space_circle
from parts.fits.sphere import SphereModel
from parts.fits.torus import TorusModel

FIT_KINDS = (
    "line2d",
    "line3d",
    "plane",
    "circle2d",
    "circle3d",
    "sphere",
    "cylinder",
    "cone",
    "torus",
)


def model_of(kind: str) -> Model:
    """The least-squares model of a kind; a circle in space is made of two.

    Raises:
        FitError: no such kind.
    """
    models: dict[str, type[Model]] = {
        "line2d": FlatLineModel,
        "line3d": SpaceLineModel,
        "plane": PlaneModel,
        "circle2d": FlatCircleModel,
        "sphere": SphereModel,
        "cylinder": CylinderModel,
        "cone": ConeModel,
        "torus": TorusModel,
    }
    if kind not in models:
        raise FitError(
            f"There is no fit of a {kind!r}; expected one of {', '.join(FIT_KINDS)}.", value=kind
        )
    return models[kind]()


def fit(kind: str, points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """Fit a feature by least squares of the orthogonal distances.

    Args:
        kind: one of ``FIT_KINDS``.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane
        **options: ``sigma``, ``outward``, ``hollow``, ``hint``: see ``Options``.

    Raises:
        FitError: the points hold no such feature: too few, not finite, degenerate, ambiguous, or
            hidden by their noise.
    """
    if kind == "circle3d":
        return space_circle(points, options)
    return solve(model_of(kind), points, options)


def fit_line2d(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A line in a plane; at least 2 points. Args: points # (k, 2) [m]."""
    return fit("line2d", points, **options)


def fit_line3d(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A line in space; at least 2 points. Args: points # (k, 3) [m]."""
    return fit("line3d", points, **options)


def fit_plane(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A plane; at least 3 points. Args: points # (k, 3) [m]."""
    return fit("plane", points, **options)


def fit_circle2d(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A circle in a plane; at least 3 points. Args: points # (k, 2) [m]."""
    return fit("circle2d", points, **options)


def fit_circle3d(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A circle in space; at least 3 points. Args: points # (k, 3) [m]."""
    return fit("circle3d", points, **options)


def fit_sphere(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A sphere; at least 4 points. Args: points # (k, 3) [m]."""
    return fit("sphere", points, **options)


def fit_cylinder(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A cylinder; at least 5 points. Args: points # (k, 3) [m]."""
    return fit("cylinder", points, **options)


def fit_cone(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A cone; at least 6 points. Args: points # (k, 3) [m]."""
    return fit("cone", points, **options)


def fit_torus(points: ArrayLike, **options: Unpack[Options]) -> Fit:
    """A torus; at least 7 points. Args: points # (k, 3) [m]."""
    return fit("torus", points, **options)
