"""QIF 3.0 plan (ISO 23952): features, points to touch, tolerances, the order of features.

A QIF plan has no element for motion: its only speeds are limits of a machine in its measurement
resources, and no distance of a touch has a place. The probing cycle of each feature is told by
attributes, QIF's own way for what it has no element for; paths are in the DMIS and I++ programmes.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from parts.evaluation.results import Characteristic
from parts.evaluation.tolerance import ToleranceSpec
from reports.programmes.qif_characteristics import (
    CharacteristicParts,
    DatumParts,
    FeatureIds,
    Numbering,
    listed,
    standard_element,
    units_element,
)
from reports.programmes.source import MeasuredFeature, Nominal, NominalKind, ProgrammeSource, Touch
from reports.programmes.text import MM, attribute, element, numbers, parent

_NAMESPACE = "http://qifstandards.org/xsd/qif3"
_LENGTH = 6  # decimals of mm
_VECTOR = 9
_WORDS = {
    NominalKind.POINT: "Point",
    NominalKind.PLANE: "Plane",
    NominalKind.CIRCLE: "Circle",
    NominalKind.CYLINDER: "Cylinder",
    NominalKind.SPHERE: "Sphere",
}
_KINDS = {
    NominalKind.POINT: "point",
    NominalKind.PLANE: "plane",
    NominalKind.CIRCLE: "circle3d",
    NominalKind.CYLINDER: "cylinder",
    NominalKind.SPHERE: "sphere",
}


def qif(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``plan.qif``."""
    return {"plan.qif": _Document(source).text().encode("utf-8")}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Elements of what is asked, by their places in a document."""

    before: tuple[str, ...] = ()
    datums: tuple[str, ...] = ()
    characteristics: tuple[str, ...] = ()


class _Document:
    """Elements of a document, numbered as they are made.

    Args:
        source: of the plan.
    """

    def __init__(self, source: ProgrammeSource) -> None:
        self._source = source
        self._numbering = Numbering()
        self._ids: dict[str, list[tuple[FeatureIds, MeasuredFeature]]] = defaultdict(list)
        self._not_asked: list[str] = []
        self._definitions: list[str] = []
        self._nominals: list[str] = []
        self._items: list[str] = []
        self._sets: list[str] = []
        self._actions: list[str] = []
        self._shared: dict[NominalKind, int] = {}

    def text(self) -> str:
        """The whole document."""
        for feature in self._source.features:
            self._add(feature)
        asked = self._characteristics()
        fingerprint = self._source.plan.job.fingerprint
        parts = [
            element("QPId", str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:sha256:{fingerprint}"))),
            self._attributes(),
            self._header(),
            *asked.before,
            units_element(),
            *asked.datums,
            self._features(),
            *asked.characteristics,
            self._plan(),
        ]
        last = self._numbering.last
        root = f'<QIFDocument xmlns="{_NAMESPACE}" versionQIF="3.0.0" idMax="{last}">\n'
        body = "\n".join(parts)
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}{body}\n</QIFDocument>\n'

    def _attributes(self) -> str:
        job = self._source.plan.job
        made = [
            attribute("AttributeStr", name="job", value=job.name),
            attribute("AttributeStr", name="job sha256", value=job.sha256),
            attribute("AttributeStr", name="frame", value="base of the robot"),
        ]
        made += [
            attribute("AttributeStr", name=f"not reached {place}", value=name)
            for place, name in enumerate(self._source.steps.left_out, start=1)
        ]
        made += [
            attribute("AttributeStr", name=f"not asked {place}", value=text)
            for place, text in enumerate(self._not_asked, start=1)
        ]
        return parent("Attributes", *made, n=len(made))

    def _header(self) -> str:
        application = parent("Application", element("Name", self._source.made_by))
        return parent("Header", application, element("Description", self._source.feasibility))

    def _features(self) -> str:
        return parent(
            "Features",
            parent("FeatureDefinitions", *self._definitions, n=len(self._definitions)),
            parent("FeatureNominals", *self._nominals, n=len(self._nominals)),
            parent("FeatureItems", *self._items, n=len(self._items)),
            parent("NominalPointSets", *self._sets, n=len(self._sets)),
        )

    def _plan(self) -> str:
        steps = [
            parent(
                "NumberedPlanElement",
                element("SequenceNumber", str(place)),
                action,
            )
            for place, action in enumerate(self._actions, start=1)
        ]
        return parent("Plan", parent("OrderedPlanRoot", parent("Steps", *steps, n=len(steps))))

    def _add(self, feature: MeasuredFeature) -> None:
        """A feature: definition, nominal, item, points, and the action that measures it."""
        word = _WORDS[feature.nominal.kind]
        definition = self._definition(feature.nominal)
        points, nominal, item = self._points(feature), self._next(), self._next()
        self._nominals.append(
            parent(
                f"{word}FeatureNominal",
                element("FeatureDefinitionId", str(definition)),
                *_geometry(feature.nominal),
                id=nominal,
            )
        )
        measured = parent("PointList", element("WholePointSetId", str(points)), n=1)
        details = parent("CheckDetails", parent("Measured", measured))
        self._items.append(
            parent(
                f"{word}FeatureItem",
                _attributes(feature),
                element("FeatureNominalId", str(nominal)),
                element("FeatureName", feature.name),
                parent("DeterminationMode", parent("Checked", details)),
                id=item,
            )
        )
        ids = parent("FeatureItemIds", element("Id", str(item)), n=1)
        self._ids[feature.touches[0].feature].append(
            (FeatureIds(nominal=nominal, item=item, measurement=0), feature)
        )
        self._actions.append(parent("MeasureSpecifiedFeatures", ids))

    def _definition(self, nominal: Nominal) -> int:
        kind = nominal.kind
        if kind in self._shared:
            return self._shared[kind]
        number, name = self._next(), f"{_WORDS[kind]}FeatureDefinition"
        if kind in (NominalKind.POINT, NominalKind.PLANE):
            self._shared[kind] = number
            self._definitions.append(parent(name, id=number))
            return number
        size = [
            element("InternalExternal", "INTERNAL" if nominal.inner else "EXTERNAL"),
            element("Diameter", numbers([MM * nominal.diameter], _LENGTH)[0]),
        ]
        self._definitions.append(parent(name, *size, id=number))
        return number

    def _points(self, feature: MeasuredFeature) -> int:
        number = self._next()
        inside = [self._point(touch) for touch in feature.touches]
        self._sets.append(parent("NominalPointSet", *inside, n=len(inside), id=number))
        return number

    def _point(self, touch: Touch) -> str:
        return parent(
            "MeasurePoint",
            element("Point", " ".join(numbers(MM * touch.surface, _LENGTH))),
            element("Normal", " ".join(numbers(touch.normal, _VECTOR))),
            id=self._next(),
        )

    def _next(self) -> int:
        return self._numbering.next()

    # --- what is asked ---------------------------------------------------------------------------

    def _characteristics(self) -> _Asked:
        """The job's tolerances with their datums; of features whose points are one run.

        Points of a feature that others are measured between are features by themselves here, of
        which nothing can be asked; the attributes say so.
        """
        evaluation = self._source.plan.job.evaluation
        if not evaluation.tolerances:
            return _Asked()
        standard = self._next()
        whole = {name: runs[0] for name, runs in self._ids.items() if len(runs) == 1 and name}
        features = {name: ids for name, (ids, _) in whole.items()}
        labels = {one.label: one.features for one in evaluation.datum_features}
        datums = DatumParts(
            numbering=self._numbering,
            features={name: one.nominal for name, one in features.items()},
        )
        asked = CharacteristicParts(
            numbering=self._numbering,
            features=features,
            kinds={name: _KINDS[one.nominal.kind] for name, (_, one) in whole.items()},
            datums=datums,
            frame=tuple((labels[one.label], "") for one in evaluation.datums),
            labels=labels,
        )
        for spec in evaluation.tolerances:
            needed = {spec.feature, spec.datum} - {""}
            needed |= {name for one in spec.datums for name in labels[one.label]}
            if spec.kind in ("position", "profile") and not spec.datums:
                needed |= {name for names, _ in asked.frame for name in names}
            if lost := sorted(needed - features.keys()):
                self._not_asked.append(
                    f"{spec.label}: the points of {lost[0]!r} are not measured one after another"
                )
                continue
            asked.ask(_characteristic(spec, {name: one for name, (_, one) in whole.items()}))
        return _Asked(
            before=(standard_element(standard),),
            datums=tuple(
                part
                for part in (
                    listed("DatumDefinitions", datums.definitions),
                    listed("DatumReferenceFrames", datums.frames),
                )
                if part
            ),
            characteristics=tuple(filter(None, (asked.element(standard),))),
        )


def _characteristic(spec: ToleranceSpec, features: Mapping[str, MeasuredFeature]) -> Characteristic:
    """A tolerance of the job as what a document asks for."""
    own = features[spec.feature].nominal
    size = 0.0
    if spec.kind == "diameter":
        size = own.diameter
    elif spec.kind == "distance":
        other = features[spec.datum].nominal
        size = abs(float((own.location - other.location) @ other.axis))
    return Characteristic(
        name=f"{spec.feature} {spec.kind}",
        feature=spec.feature,
        kind=spec.kind,
        nominal=size if spec.nominal is None else spec.nominal,
        measured=float("nan"),
        tolerance=spec.value,
        middle=spec.middle,
        datum=spec.datum,
        datums=spec.datums,
        material=spec.material,
        projected=spec.projected,
    )


def _attributes(feature: MeasuredFeature) -> str:
    """The probing cycle, and names of a feature's points: QIF's own have no place for them."""
    touch = feature.touches[0]
    cycle = {
        "touch speed mm/s": touch.speed,
        "approach mm": touch.approach,
        "search before mm": touch.search_before,
        "search after mm": touch.search_after,
        "back-off mm": float((touch.back_off - touch.contact) @ touch.direction),
    }
    told = [
        attribute("AttributeD1", name=name, value=numbers([MM * value], _LENGTH)[0])
        for name, value in cycle.items()
    ]
    told += [
        attribute("AttributeStr", name=f"point {place}", value=one.name)
        for place, one in enumerate(feature.touches, start=1)
    ]
    return parent("Attributes", *told, n=len(told))


def _geometry(nominal: Nominal) -> list[str]:
    place = " ".join(numbers(MM * nominal.location, _LENGTH))
    axis = " ".join(numbers(nominal.axis, _VECTOR))
    if nominal.kind is NominalKind.CYLINDER:
        return [parent("Axis", element("AxisPoint", place), element("Direction", axis))]
    if nominal.kind is NominalKind.SPHERE:
        return [element("Location", place)]
    return [element("Location", place), element("Normal", axis)]
