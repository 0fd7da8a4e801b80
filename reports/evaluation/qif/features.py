"""Features of a QIF document: definition, nominal, item, points to touch, points touched, result.

Every feature has all of them, so that a reader finds what was asked beside what was found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from parts.evaluation import FeatureResult, PointDeviations
from reports.evaluation.qif.geometry import (
    definition_sizes,
    measured_place,
    nominal_place,
    place_text,
    vector_text,
    word_of,
)
from reports.evaluation.qif.numbering import Numbering, reference
from reports.evaluation.shown import EvaluationSubject
from reports.programmes.plain_numbers import MM, numbers
from reports.programmes.xml_text import attribute, element, parent
from robots.core.arrays import Array

_LENGTH, _VECTOR = 9, 12
_ALGORITHM = parent(
    "SubstituteFeatureAlgorithm", element("SubstituteFeatureAlgorithmEnum", "LEASTSQUARES")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureIds:
    """Identifiers of one feature."""

    nominal: int
    item: int
    measurement: int


@dataclass(slots=True, kw_only=True, eq=False)
class FeatureParts:
    """Elements of all features, by the lists that hold them."""

    numbering: Numbering
    radius: float
    definitions: list[str] = field(default_factory=list)
    nominals: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    nominal_sets: list[str] = field(default_factory=list)
    measured_sets: list[str] = field(default_factory=list)
    measurements: list[str] = field(default_factory=list)
    ids: dict[str, FeatureIds] = field(default_factory=dict)

    def add(self, one: FeatureResult) -> None:
        """A feature."""
        word, shape = word_of(one), one.nominal
        definition, planned = self.numbering.next(), self._nominal_set(one.deviations)
        nominal, item = self.numbering.next(), self.numbering.next()
        self.definitions.append(
            parent(f"{word}FeatureDefinition", *definition_sizes(shape), id=definition)
        )
        where = [self._defining_points(one.deviations)] if shape is None else nominal_place(shape)
        self.nominals.append(
            parent(
                f"{word}FeatureNominal",
                element("Name", one.name),
                reference("FeatureDefinitionId", definition),
                *where,
                id=nominal,
            )
        )
        measured = parent("Measured", _whole(planned))
        self.items.append(
            parent(
                f"{word}FeatureItem",
                reference("FeatureNominalId", nominal),
                element("FeatureName", one.name),
                parent("DeterminationMode", parent("Checked", parent("CheckDetails", measured))),
                id=item,
            )
        )
        result = self._measurement(one, word, item, self.add_points(one.deviations))
        self.ids[one.name] = FeatureIds(nominal=nominal, item=item, measurement=result)

    def add_points(self, points: PointDeviations) -> int:
        """Touched points on the surface; those of no feature stand alone. Returns their set."""
        number = self.numbering.next()
        self.measured_sets.append(
            parent(
                "MeasuredPointSet",
                _names(points),
                element_list("Points", MM * points.measured, _LENGTH),
                element_list("Normals", points.normals, _VECTOR),
                element("Compensated", "true"),
                element("ProbeRadius", numbers([MM * self.radius], _LENGTH)[0]),
                element_list("Deviations", MM * points.profile, _LENGTH),
                count=len(points),
                id=number,
            )
        )
        return number

    def _measurement(self, one: FeatureResult, word: str, item: int, points: int) -> int:
        number = self.numbering.next()
        form = one.form_error if one.zone_error is None else one.zone_error
        found = (
            [] if one.fit is None or one.nominal is None else measured_place(one.fit.shape, form)
        )
        told = "minimum zone" if one.zone_error is not None else "least squares"
        told = "no redundancy: not evaluated" if found and form is None else told
        notes = [attribute("AttributeStr", name="form by", value=told)]
        self.measurements.append(
            parent(
                f"{word}FeatureMeasurement",
                parent("Attributes", *notes, n=len(notes)),
                reference("FeatureItemId", item),
                element("FeatureName", one.name),
                _whole(points),
                _ALGORITHM,
                *found,
                id=number,
            )
        )
        return number

    def _nominal_set(self, points: PointDeviations) -> int:
        number = self.numbering.next()
        inside = [
            parent(
                "MeasurePoint",
                element("Point", place_text(place)),
                element("Normal", vector_text(normal)),
                id=self.numbering.next(),
            )
            for place, normal in zip(points.nominal, points.normals, strict=True)
        ]
        self.nominal_sets.append(parent("NominalPointSet", *inside, n=len(inside), id=number))
        return number

    def _defining_points(self, points: PointDeviations) -> str:
        inside = [
            parent(
                "DefiningPoint",
                element("Point", place_text(place)),
                element("Normal", vector_text(normal)),
                element("SequenceNumber", str(k)),
                id=self.numbering.next(),
            )
            for k, (place, normal) in enumerate(
                zip(points.nominal, points.normals, strict=True), start=1
            )
        ]
        return parent("DefiningPoints", *inside, n=len(inside))


def feature_parts(shown: EvaluationSubject, numbering: Numbering) -> FeatureParts:
    """All features of an evaluation, and the points that belong to none."""
    found = shown.evaluation
    parts = FeatureParts(numbering=numbering, radius=found.measured.probe_radius)
    for one in found.features:
        parts.add(one)
    held = {name for one in found.features for name in one.deviations.names}
    alone = np.flatnonzero([name not in held for name in found.points.names])
    if alone.size:
        parts.add_points(found.points.kept(alone))
    return parts


def element_list(name: str, values: Array, decimals: int) -> str:
    """Numbers of any count: they are ours, so nothing in them needs care."""
    return f"<{name}>{' '.join(numbers(values, decimals))}</{name}>"


def _names(points: PointDeviations) -> str:
    """Names of points, which QIF's own have no place for."""
    told = [
        attribute("AttributeStr", name=f"point {place}", value=name)
        for place, name in enumerate(points.names, start=1)
    ]
    return parent("Attributes", *told, n=len(told))


def _whole(points: int) -> str:
    return parent("PointList", element("WholePointSetId", str(points)), n=1)
