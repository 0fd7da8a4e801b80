"""Tolerances of a drawing as those that an evaluation judges, as far as it can express them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from parts.drawing.document import feature_names, features_of
from parts.drawing.drawing import Dimension, Drawing, GeometricTolerance, UnreadItem
from parts.errors import PartError
from parts.evaluation.tolerance import (
    FORM_KINDS,
    SIZE_KINDS,
    WITH_MATERIAL,
    WITH_SYSTEM,
    DatumFeature,
    Material,
    ToleranceKind,
    ToleranceSpec,
    system_text,
)
from parts.features.recognition import FormFeature, form_features
from parts.geometry.geometry import Geometry

_EQUAL = 1e-9  # [m] a tolerance is symmetric where its deviations differ by less
_KINDS: Mapping[str, ToleranceKind] = {
    "flatness": "flatness",
    "roundness": "roundness",
    "cylindricity": "cylindricity",
    "parallelism": "parallelism",
    "perpendicularity": "perpendicularity",
    "angularity": "angularity",
    "position": "position",
    "coaxiality": "coaxiality",
    "surface profile": "profile",
    "circular runout": "circular runout",
    "total runout": "total runout",
}
_MATERIALS: Mapping[str, Material] = {"MMC": "M", "LMC": "L", "": ""}
_OF_ZONES = ("profile", "circular runout", "total runout")  # whose zone follows the feature
_ROUND = ("hole", "boss", "cylinder", "sphere")


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestedTolerances:
    """What an evaluation can judge of a drawing.

    Args:
        specs: one for each feature.
        datum_features: that their datum systems name.
        datums: the datum system that most of them refer to, primary first: the alignment's.
        left_out: what else the drawing asks for, with the reason.
    """

    specs: tuple[ToleranceSpec, ...]
    datum_features: tuple[DatumFeature, ...]
    datums: tuple[str, ...]
    left_out: tuple[UnreadItem, ...]

    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """``[[datum]]`` and ``[[tolerance]]`` of a job file."""
        datums = [table for one in self.datum_features for table in datum_tables(one)]
        tolerances = [tolerance_table(spec) for spec in self.specs]
        return {name: rows for name, rows in (("datum", datums), ("tolerance", tolerances)) if rows}


def datum_tables(datum: DatumFeature) -> Iterator[dict[str, Any]]:
    """``[[datum]]`` of a job file; none for a common datum that is named by its letters."""
    if "-" not in datum.label or not datum.elements:
        features = list(datum.features)
        yield {"label": datum.label, "feature": features if len(features) > 1 else features[0]}


_LOWER = "it is a lower frame of a composite tolerance"


def _located_beside(spec: ToleranceSpec, pattern: list[ToleranceSpec]) -> bool:
    """Return whether a tolerance shares with a pattern the motion that their datum leaves free."""
    own = {one.feature for one in pattern if one.kind == spec.kind}
    located = spec.kind in ("position", "coaxiality", "profile")
    return located and spec.system == pattern[0].system and spec.feature not in own


class _LeftOutError(PartError):
    """Why a fact cannot be expressed."""


def suggested_tolerances(drawing: Drawing, geometry: Geometry) -> SuggestedTolerances:
    """Tolerances for an evaluation; nothing that a drawing says beside them is dropped silently.

    Args:
        drawing: of the part.
        geometry: that its faces belong to.
    """
    reading = _Reading(drawing, geometry)
    specs: dict[ToleranceSpec, None] = {}
    left_out: list[UnreadItem] = []
    lower = {id(low) for one in drawing.tolerances for low in one.lower}
    patterns: list[tuple[GeometricTolerance, list[ToleranceSpec]]] = []
    facts: list[Dimension | GeometricTolerance] = [*drawing.dimensions, *drawing.frames()]
    for one in facts:
        try:
            if isinstance(one, Dimension):
                found = list(reading.sizes(one))
            elif id(one) in lower:
                found = list(reading.lower_frame(one))
                patterns.append((one, found))
            else:
                found = list(reading.tolerances(one))
            specs.update(dict.fromkeys(found))
        except PartError as reason:
            left_out.append(
                UnreadItem(name=_called(one), reason=str(reason), identity=one.identity)
            )
    kept = list(specs)
    for frame, found in patterns:
        if any(_located_beside(spec, found) for spec in kept):
            kept = [spec for spec in kept if spec not in found]
            told = f"{_LOWER}, and others to {found[0].system} would be held together with it"
            left_out.append(UnreadItem(name=_called(frame), reason=told, identity=frame.identity))
    sized = {spec.feature for spec in kept if spec.kind in ("diameter", "width")}
    for spec in [spec for spec in kept if spec.material and spec.feature not in sized]:
        kept.remove(spec)
        told = f"it is at {spec.material}MC, but no size of {spec.feature!r} can be judged"
        left_out.append(UnreadItem(name=spec.label, reason=told, identity=0))
    return reading.suggested(kept, left_out)


def tolerance_table(spec: ToleranceSpec) -> dict[str, Any]:
    """``[[tolerance]]`` of a job file."""
    table: dict[str, Any] = {"feature": spec.feature, "kind": spec.kind}
    if spec.nominal is not None:
        table["nominal_mm"] = _mm(spec.nominal)
    if abs(spec.middle) > _EQUAL:
        table["lower_mm"] = _mm(spec.middle - spec.value)
        table["upper_mm"] = _mm(spec.middle + spec.value)
    else:
        table["value_mm"] = _mm(spec.value)
    if spec.datum:
        table["datum"] = spec.datum
    if spec.datums:
        table["datums"] = system_text(spec.datums).split("|")
    if spec.projected:
        table["projected_mm"] = _mm(spec.projected)
    return table | ({"material": spec.material} if spec.material else {})


def _mm(length: float) -> float:
    return round(1e3 * length, 9) + 0.0


def _called(one: Dimension | GeometricTolerance) -> str:
    return f"{one.kind} {one.name!r}" if one.name else one.kind


class _Reading:
    """What facts of a drawing come to in the terms of an evaluation."""

    def __init__(self, drawing: Drawing, geometry: Geometry) -> None:
        self._names = feature_names(geometry)
        self._forms = {one.name: one for one in form_features(geometry)}
        self._datums = {one.label: features_of(one.faces, self._names) for one in drawing.datums}

    def suggested(
        self, specs: list[ToleranceSpec], left_out: list[UnreadItem]
    ) -> SuggestedTolerances:
        """The result, with the datums that it needs."""
        used = Counter(
            tuple(one.label for one in spec.datums) for spec in specs if len(spec.datums) > 1
        )
        labels = sorted(
            {
                label
                for spec in specs
                for one in spec.datums
                for label in (one.label, *(element.label for element in one.elements))
            }
        )
        return SuggestedTolerances(
            specs=tuple(specs),
            datum_features=tuple(map(self._datum, labels)),
            datums=max(used, key=lambda one: (len(one), used[one]), default=()),
            left_out=tuple(left_out),
        )

    def _datum(self, label: str) -> DatumFeature:
        """A datum by its letter, or those of a common one."""
        letters = [label] if label in self._datums else label.split("-")
        features = [feature for letter in letters for feature in self._datums[letter]]
        if len(features) == 1:
            return DatumFeature(label=label, feature=features[0])
        elements = tuple(DatumFeature(label=one, feature=one) for one in features)
        return DatumFeature(label=label, feature="", elements=elements)

    def sizes(self, one: Dimension) -> Iterator[ToleranceSpec]:
        """Of diameters, widths and distances."""
        if one.kind not in (*SIZE_KINDS, "thickness"):
            article = "an" if one.kind[0] in "aeiou" else "a"
            raise _LeftOutError(f"{article} {one.kind} is not evaluated")
        if one.fit:
            raise _LeftOutError(f"the limits of {one.fit} are not known here")
        if not isfinite(one.lower) or not isfinite(one.upper):
            raise _LeftOutError("it has no limits on both sides")
        if "statistical" in one.modifiers or "average" in one.modifiers:
            raise _LeftOutError("it holds of many parts, or of an average")
        middle = 0.5 * (one.lower + one.upper)
        nominal = one.nominal if isfinite(one.nominal) else middle
        value = 0.5 * (one.upper - one.lower)
        offset = middle - nominal if abs(middle - nominal) > _EQUAL else 0.0
        features = features_of(one.faces, self._names)
        if one.kind == "diameter":
            for feature in features:
                self._round(feature)
                yield ToleranceSpec(
                    feature=feature, kind="diameter", value=value, nominal=nominal, middle=offset
                )
            return
        origin = features_of(one.origin_faces, self._names)
        kinds = [None if one not in self._forms else self._forms[one].kind for one in features]
        if kinds == ["slot"] and origin in ([], features):
            yield ToleranceSpec(
                feature=features[0], kind="width", value=value, nominal=nominal, middle=offset
            )
            return
        if kinds == ["plane"] * 2 and not origin and one.kind != "distance":  # sides of a thickness
            features, origin = features[1:], features[:1]
        if len(origin) != 1 or len(features) != 1 or origin == features:
            raise _LeftOutError("it is not one of two features")
        yield ToleranceSpec(
            feature=features[0],
            kind="distance",
            value=value,
            datum=origin[0],
            nominal=nominal,
            middle=offset,
        )

    def tolerances(self, one: GeometricTolerance) -> Iterator[ToleranceSpec]:
        """Of a feature control frame."""
        _check_plain(one)
        if one.kind == "straightness":
            raise _LeftOutError("whether of an axis or of lines on its surface is not told")
        if one.kind not in _KINDS:
            raise _LeftOutError(f"{one.kind} is not evaluated")
        kind = _KINDS[one.kind]
        if one.material and kind not in WITH_MATERIAL:
            raise _LeftOutError(f"a {one.kind} at {one.material} is not evaluated")
        owners = self._system(one) if kind in WITH_SYSTEM else ()
        for feature in features_of(one.faces, self._names):
            if feature in owners:
                raise _LeftOutError("it would be its own datum")
            if kind not in FORM_KINDS and kind not in _OF_ZONES:
                self._check_zone(one.zone, feature)
            if isfinite(one.projected) and owners and owners[0] not in self._beside(feature):
                raise _LeftOutError(
                    f"it has a projected zone, but {feature!r} does not open on the primary datum "
                    f"{one.datums[0].label}, on which the evaluation stands it"
                )
            yield ToleranceSpec(
                feature=feature,
                kind=kind,
                value=one.value,
                datums=one.datums if owners else (),
                material=_MATERIALS[one.material],
                projected=one.projected if isfinite(one.projected) else 0.0,
            )

    def lower_frame(self, one: GeometricTolerance) -> Iterator[ToleranceSpec]:
        """Of a lower frame of a composite tolerance, whose datums hold the direction only.

        An evaluation lets a pattern of bores lie anywhere on the plane that they are square to, and
        nowhere else: what repeats another datum would be held to its place, too.
        """
        _check_plain(one)
        labels = [element.label for reference in one.datums for element in reference.elements]
        names = self._datums.get(labels[0], []) if len(labels) == 1 else []
        forms = [self._forms.get(name) for name in features_of(one.faces, self._names)]
        square = one.kind == "position" and len(names) == 1 and names[0] in self._forms
        if square:
            plane = self._forms[names[0]]
            square = plane.kind == "plane" and all(
                form is not None
                and form.kind in ("hole", "boss", "cylinder")
                and abs(float(form.axis @ plane.axis)) > 1.0 - _EQUAL
                for form in forms
            )
        if not square:
            system = "|".join(reference.label for reference in one.datums) or "none"
            raise _LeftOutError(
                f"{_LOWER}, {1e3 * one.value:g} mm to {system}, for the direction only, which is "
                "not evaluated"
            )
        yield from self.tolerances(one)

    def _system(self, one: GeometricTolerance) -> tuple[str, ...]:
        """Features of its datums; none where it has no datum."""
        found: list[str] = []
        for reference in one.datums:
            if any(
                {*reference.modifiers, *element.modifiers} != set(reference.all_modifiers)
                for element in reference.elements
            ):
                raise _LeftOutError(
                    f"the features of its datum {reference.label} have different modifiers"
                )
            for element in reference.elements:
                features = self._datums.get(element.label, [])
                if not features:
                    raise _LeftOutError(f"its datum {element.label} is no feature of the part")
                for feature in features:
                    self._check_boundary(reference.all_modifiers, element.label, feature)
                found += features
        if not found and _KINDS[one.kind] != "profile":
            raise _LeftOutError("it has no datum")
        return tuple(found)

    def _check_boundary(self, modifiers: tuple[str, ...], label: str, feature: str) -> None:
        others = [name for name in modifiers if name != "MMB"]
        if others:
            raise _LeftOutError(f"{others[0]} of its datum {label} is not evaluated")
        form = self._forms.get(feature)
        if modifiers and (form is None or form.kind not in (*_ROUND, "slot")):
            raise _LeftOutError(
                f"the material boundary of its datum {label}, which is no bore, shaft or slot, is "
                "not evaluated"
            )

    def _beside(self, feature: str) -> tuple[str, ...]:
        return self._forms[feature].neighbours if feature in self._forms else ()

    def _round(self, feature: str) -> FormFeature:
        form = self._forms.get(feature)
        if form is None or form.kind not in _ROUND:
            kind = "face" if form is None else form.kind
            raise _LeftOutError(f"the diameter of the {kind} {feature!r} is not evaluated")
        return form

    def _check_zone(self, zone: str, feature: str) -> None:
        """Refuse a zone of another form than the evaluation's: about an axis it is round."""
        form = self._forms.get(feature)
        kind = "face" if form is None else form.kind
        if _ZONES.get(kind, "") != zone:
            raise _LeftOutError(f"a zone of this form is not evaluated for the {kind} {feature!r}")


_ZONES = {
    "plane": "width",
    "slot": "width",
    "hole": "diameter",
    "boss": "diameter",
    "cylinder": "diameter",
    "sphere": "sphere",
}


def _check_plain(one: GeometricTolerance) -> None:
    """Refuse what would be another tolerance without it."""
    said = {
        ", ".join(one.modifiers): bool(one.modifiers),
        "an unequally disposed zone": isfinite(one.unequal),
        "a maximum": isfinite(one.maximum),
        "a value per unit": bool(one.unit),
    }
    for what, holds in said.items():
        if holds:
            raise _LeftOutError(f"it has {what}, which is not evaluated")
    if one.whole_part:
        raise _LeftOutError("it holds of every face that has no other tolerance")
