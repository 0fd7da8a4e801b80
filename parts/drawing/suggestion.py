"""Tolerances of a drawing as those that an evaluation judges, as far as it can express them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from parts.drawing.document import feature_names, features_of
from parts.drawing.drawing import Dimension, Drawing, GeometricTolerance, UnreadItem
from parts.errors import PartError
from parts.evaluation.tolerance import FORM_KINDS, ORIENTATION_KINDS, ToleranceKind, ToleranceSpec
from parts.features.recognition import form_features
from parts.geometry.geometry import Geometry

_EQUAL = 1e-9  # [m] a tolerance is symmetric where its deviations differ by less
_IN_THE_FRAME = {"position": "position", "surface profile": "profile"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedTolerances:
    """What an evaluation can judge of a drawing.

    Args:
        specs: one for each feature.
        datums: that the part must be aligned to for positions and profiles, primary first.
        left_out: what else the drawing asks for, with the reason.
    """

    specs: tuple[ToleranceSpec, ...]
    datums: tuple[str, ...]
    left_out: tuple[UnreadItem, ...]


class _LeftOutError(PartError):
    """Why a fact cannot be expressed."""


def suggested_tolerances(drawing: Drawing, geometry: Geometry) -> SuggestedTolerances:
    """Tolerances for an evaluation; nothing that a drawing says beside them is dropped silently.

    Positions and profiles are judged in the frame of the alignment, which is one; so those of the
    datum system that most of them refer to are taken.

    Args:
        drawing: of the part.
        geometry: that its faces belong to.
    """
    names = feature_names(geometry)
    kinds = {one.name: one.kind for one in form_features(geometry)}
    datum_features = {one.label: features_of(one.faces, names) for one in drawing.datums}
    systems = Counter(
        tuple(reference.label for reference in one.datums)
        for one in drawing.tolerances
        if one.kind in _IN_THE_FRAME and one.datums
    )
    frame = max(systems, key=lambda one: (systems[one], len(one)), default=())
    specs: dict[ToleranceSpec, None] = {}
    left_out: list[UnreadItem] = []
    facts: list[Dimension | GeometricTolerance] = [*drawing.dimensions, *drawing.tolerances]
    for one in facts:
        try:
            found = (
                list(_sizes(one, names))
                if isinstance(one, Dimension)
                else list(_tolerances(one, names, frame, datum_features, kinds))
            )
            specs.update(dict.fromkeys(found))
        except _LeftOutError as reason:
            left_out.append(
                UnreadItem(name=_called(one), reason=str(reason), identity=one.identity)
            )
    return SuggestedTolerances(specs=tuple(specs), datums=frame, left_out=tuple(left_out))


def _called(one: Dimension | GeometricTolerance) -> str:
    return f"{one.kind} {one.name!r}" if one.name else one.kind


def _sizes(one: Dimension, names: dict[int, str]) -> Iterator[ToleranceSpec]:
    if one.kind not in ("diameter", "distance"):
        raise _LeftOutError(f"a {one.kind} is not evaluated")
    if one.fit:
        raise _LeftOutError(f"the limits of {one.fit} are not known here")
    if not isfinite(one.lower) or not isfinite(one.upper):
        raise _LeftOutError("it has no limits on both sides")
    below, above = one.nominal - one.lower, one.upper - one.nominal
    if not abs(above - below) <= _EQUAL:
        raise _LeftOutError("its limits are not the same on both sides of the nominal value")
    if "statistical" in one.modifiers or "average" in one.modifiers:
        raise _LeftOutError("it holds of many parts, or of an average")
    features = features_of(one.faces, names)
    if one.kind == "diameter":
        for feature in features:
            yield ToleranceSpec(feature=feature, kind="diameter", value=0.5 * (above + below))
        return
    origin = features_of(one.origin_faces, names)
    if len(origin) != 1 or len(features) != 1 or origin == features:
        raise _LeftOutError("it is not one of two features")
    value = 0.5 * (above + below)
    yield ToleranceSpec(feature=features[0], kind="distance", value=value, datum=origin[0])


def _tolerances(
    one: GeometricTolerance,
    names: dict[int, str],
    frame: tuple[str, ...],
    datum_features: dict[str, list[str]],
    kinds: dict[str, str],
) -> Iterator[ToleranceSpec]:
    _check_plain(one)
    labels = tuple(reference.label for reference in one.datums)
    kind = _IN_THE_FRAME.get(one.kind, one.kind)
    datum = ""
    if kind == "straightness":
        raise _LeftOutError("whether of an axis or of lines on its surface is not told")
    if kind in FORM_KINDS:
        pass
    elif kind in ORIENTATION_KINDS:
        datums = datum_features.get(labels[0], []) if len(labels) == 1 else []
        if len(datums) != 1:
            raise _LeftOutError("it is not taken from one datum that is one feature")
        datum = datums[0]
    elif one.kind in _IN_THE_FRAME:
        if labels != frame:
            raise _LeftOutError(f"it refers to other datums than {'|'.join(frame) or 'none'}")
    else:
        raise _LeftOutError(f"{one.kind} is not evaluated")
    expressed: ToleranceKind = next(known for known in _EXPRESSED if known == kind)
    for feature in features_of(one.faces, names):
        if feature == datum:
            raise _LeftOutError("it would be its own datum")
        if kind not in FORM_KINDS and kind != "profile":
            _check_zone(one.zone, feature, kinds)
        yield ToleranceSpec(feature=feature, kind=expressed, value=one.value, datum=datum)


_EXPRESSED: tuple[ToleranceKind, ...] = (
    "flatness",
    "roundness",
    "cylindricity",
    "parallelism",
    "perpendicularity",
    "angularity",
    "position",
    "profile",
)


_ZONES = {"plane": "width", "hole": "diameter", "boss": "diameter", "cylinder": "diameter"}


def _check_zone(zone: str, feature: str, kinds: dict[str, str]) -> None:
    """Refuse a zone of another form than the evaluation's: about an axis it is round."""
    kind = kinds.get(feature, "face")
    if _ZONES.get(kind, "sphere" if kind == "sphere" else "") != zone:
        raise _LeftOutError(f"a zone of this form is not evaluated for the {kind} {feature!r}")


def _check_plain(one: GeometricTolerance) -> None:
    """Refuse what would be another tolerance without it."""
    said = {
        "a material modifier": bool(one.material),
        "a modifier of its datums": any(reference.all_modifiers for reference in one.datums),
        ", ".join(one.modifiers): bool(one.modifiers),
        "further frames": bool(one.lower),
        "a projected zone": isfinite(one.projected),
        "an unequally disposed zone": isfinite(one.unequal),
        "a maximum": isfinite(one.maximum),
        "a value per unit": bool(one.unit),
    }
    for what, holds in said.items():
        if holds:
            raise _LeftOutError(f"it has {what}, which is not evaluated")
    if one.whole_part:
        raise _LeftOutError("it holds of every face that has no other tolerance")
