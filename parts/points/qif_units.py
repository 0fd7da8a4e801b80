"""Units of length of a QIF document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from parts.points.decimals import SCALES, is_number
from parts.points.faults import shown
from parts.points.qif_document import Element, QifDocument

_NAMES = {
    **dict.fromkeys(("mm", "millimeter", "millimetre", "millimeters"), SCALES["mm"]),
    **dict.fromkeys(("cm", "centimeter", "centimetre", "centimeters"), SCALES["cm"]),
    **dict.fromkeys(("m", "meter", "metre", "meters"), SCALES["m"]),
    **dict.fromkeys(("in", "inch", "inches"), SCALES["in"]),
    **dict.fromkeys(("ft", "foot", "feet"), SCALES["ft"]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthUnits:
    """Units that a document declares.

    Args:
        scales: metres per unit, by its name in the document.
        primary: name of the unit where an element names none.
        stated: whether the document states it; by the standard it is the metre where not.
    """

    scales: Mapping[str, Decimal]
    primary: str
    stated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit of length: its name and metres per unit."""

    name: str
    scale: Decimal

    @property
    def label(self) -> str:
        """Its usual short name, where it has one."""
        return next((key for key, scale in SCALES.items() if scale == self.scale), self.name)


def length_units(document: QifDocument) -> LengthUnits:
    """Units that a document declares in ``FileUnits``.

    Raises:
        PointsError: a unit without conversion whose name is not known, or against its name.
    """
    scales: dict[str, Decimal] = {}
    root = document.root
    primary = document.child(root, "FileUnits", "PrimaryUnits", "LinearUnit")
    others = document.child(root, "FileUnits", "OtherUnits")
    declared = [] if primary is None else [primary]
    if others is not None:
        declared += list(document.every("LinearUnit", below=others))
    for element in declared:
        unit = declared_unit(document, element)
        scales.setdefault(unit.name, unit.scale)
    if primary is None:
        return LengthUnits(scales={"m": SCALES["m"], **scales}, primary="m", stated=False)
    name = document.text(primary, "UnitName")
    return LengthUnits(scales=scales, primary=name, stated=True)


def declared_unit(document: QifDocument, element: Element) -> Unit:
    """Unit that a ``LinearUnit`` element declares.

    Raises:
        PointsError: no usable conversion, or one against the unit's name.
    """
    name = document.text(element, "UnitName")
    usual = _NAMES.get(name.lower())
    text = document.text(element, "UnitConversion", "Factor")
    offset = document.text(element, "UnitConversion", "Offset")
    if not text:
        if usual is None and document.text(element, "SIUnitName") != "meter":
            raise document.error(
                element, f"the unit {name[:40]!r} has no UnitConversion; its size is not known."
            )
        return Unit(name=name, scale=usual or SCALES["m"])
    factor = float(text) if is_number(text) else 0.0
    if not 1e-12 <= factor <= 1e6 or (offset and not (is_number(offset) and float(offset) == 0.0)):
        raise document.error(
            element,
            f"the unit {name[:40]!r} has factor {text[:40]!r} and offset {offset[:40]!r}; expected "
            "metres per unit, above zero, and no offset.",
        )
    if usual is not None and abs(factor / float(usual) - 1.0) > 1e-6:
        raise document.error(
            element,
            f"the unit {name!r} is given as {text} m; expected {usual} m: name or factor is wrong.",
        )
    return Unit(name=name, scale=usual or Decimal(text))


def unit_at(document: QifDocument, units: LengthUnits, *elements: Element) -> Unit:
    """Unit of an element's lengths.

    Args:
        document: that it stands in.
        units: of the document.
        elements: the element, then those whose ``linearUnit`` it inherits.

    Raises:
        PointsError: a unit that the document does not declare.
    """
    for element in elements:
        name = (element.get("linearUnit") or "").strip()
        if name and name not in units.scales:
            known = ", ".join(shown(unit) for unit in list(units.scales)[:8])
            raise document.error(
                element,
                f"the linearUnit is {name[:40]!r}; expected a unit of FileUnits: {known}.",
            )
        if name:
            return Unit(name=name, scale=units.scales[name])
    return Unit(name=units.primary, scale=units.scales[units.primary])
