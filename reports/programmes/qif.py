"""QIF 3.0 plan (ISO 23952): nominal features, the points to touch, and the order of features.

A QIF plan has no element for motion: its only speeds are limits of a machine in its measurement
resources, and no distance of a touch has a place. The probing cycle of each feature is told by
attributes, QIF's own way for what it has no element for; paths are in the DMIS and I++ programmes.
"""

from __future__ import annotations

import uuid

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
_UNITS = parent(
    "FileUnits",
    parent(
        "PrimaryUnits",
        parent(
            "LinearUnit",
            element("SIUnitName", "meter"),
            element("UnitName", "mm"),
            parent("UnitConversion", element("Factor", "0.001")),
        ),
    ),
)


def qif(source: ProgrammeSource) -> dict[str, bytes]:
    """Write ``plan.qif``."""
    return {"plan.qif": _Document(source).text().encode("utf-8")}


class _Document:
    """Elements of a document, numbered as they are made.

    Args:
        source: of the plan.
    """

    def __init__(self, source: ProgrammeSource) -> None:
        self._source = source
        self._last_id = 0
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
        fingerprint = self._source.plan.job.fingerprint
        parts = [
            element("QPId", str(uuid.uuid5(uuid.NAMESPACE_URL, f"urn:sha256:{fingerprint}"))),
            self._attributes(),
            self._header(),
            _UNITS,
            self._features(),
            self._plan(),
        ]
        root = f'<QIFDocument xmlns="{_NAMESPACE}" versionQIF="3.0.0" idMax="{self._last_id}">\n'
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
        self._last_id += 1
        return self._last_id


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
