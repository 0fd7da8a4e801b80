"""QIF 3.0 (ISO 23952) text to a document tree, without entities or network; length units."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from parts.errors import PointsError
from parts.points.file_text import SCALES, check_cap, check_size, fault, is_number, numbers, shown
from robots.core.caps import Cap

FORMAT = "QIF 3.0"
NAMESPACE = "http://qifstandards.org/xsd/qif3"
Element = Any  # of lxml, which has no types of its own


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QifDocument:
    """A parsed QIF document.

    Args:
        origin: name of the file.
        root: its root element.
    """

    origin: str
    root: Element

    def every(self, name: str, *, below: Element = None) -> Iterator[Element]:
        """Elements of a name anywhere in the document, or below an element."""
        within = self.root if below is None else below
        yield from within.iter(f"{{{NAMESPACE}}}{name}")

    def ending(self, end: str) -> list[Element]:
        """Elements whose names end so, in the order of the document."""
        return [element for element in self.every("*") if name_of(element).endswith(end)]

    def child(self, element: Element, *names: str) -> Element:
        """First child along a path of names; None where there is none."""
        return element.find("/".join(f"{{{NAMESPACE}}}{name}" for name in names))

    def text(self, element: Element, *names: str) -> str:
        """Text of a child, without outer spaces; nothing where there is no such child."""
        found = self.child(element, *names)
        return "" if found is None else (found.text or "").strip()

    def listed(self, element: Element, *, columns: str = "", count: int | None = None) -> list[str]:
        """Texts of a list of numbers.

        Args:
            element: that holds the list.
            columns: one letter per number, where their count is known.
            count: of the numbers, where ``columns`` is not given.

        Raises:
            PointsError: another count; a text that is no finite number.
        """
        texts = (element.text or "").split()
        wanted = len(columns) if count is None else count
        if len(texts) != wanted:
            raise self.error(
                element,
                f"{name_of(element)} has {len(texts)} numbers; expected {wanted}.",
                found=len(texts),
                expected=wanted,
            )
        names = columns or ("xyz" * (wanted // 3 + 1))[:wanted]
        numbers(texts, self.origin, element.sourceline or 0, names)
        return texts

    def count(self, element: Element, attribute: str) -> int:
        """Value of an attribute that counts.

        Raises:
            PointsError: it is missing, or no count.
        """
        text = (element.get(attribute) or "").strip()
        most = Cap.QIF_NUMBERS.limit
        if not (text.isascii() and text.isdecimal()) or len(text) > 15 or int(text) > most:
            raise self.error(
                element,
                f"{name_of(element)} has {shown(text)} for {attribute}; expected a count of at "
                f"most {most}; {Cap.QIF_NUMBERS.advice}.",
                found=text,
            )
        return int(text)

    def error(self, element: Element, sentence: str, **facts: Any) -> PointsError:
        """An error at an element."""
        return fault(self.origin, sentence, line=element.sourceline, **facts)


def name_of(element: Element) -> str:
    """Name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def qif_document(raw: bytes, origin: str) -> QifDocument:
    """Parse the content of a QIF file.

    Raises:
        PointsError: too large; not XML; a document type or entities; another vocabulary.
    """
    check_size(raw, origin)
    check_cap(Cap.QIF_TAGS, raw.count(b"<"), origin)  # each costs the parser some hundred bytes
    check_cap(Cap.QIF_ATTRIBUTES, raw.count(b"="), origin)  # each costs more
    if b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise _with_entities(origin, raw[: raw.find(b"<!")].count(b"\n") + 1)
    root = _parsed(raw, origin)
    if root.getroottree().docinfo.internalDTD is not None:
        raise _with_entities(origin, None)
    if root.tag != f"{{{NAMESPACE}}}QIFDocument":
        raise fault(
            origin,
            f"the root element is {shown(str(root.tag))}; expected QIFDocument of {NAMESPACE}.",
            line=root.sourceline,
            found=str(root.tag),
        )
    return QifDocument(origin=origin, root=root)


def _parsed(raw: bytes, origin: str) -> Element:
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        dtd_validation=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        return etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        raise fault(
            origin, f"this is not well-formed XML: {_plain(str(error))}.", line=line
        ) from None


def _plain(message: str) -> str:
    """The parser's message, printable and short."""
    text = message.partition(", line ")[0]
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:200]


def _with_entities(origin: str, line: int | None) -> PointsError:
    return fault(
        origin,
        "the file declares a document type or entities, which are not read; QIF needs neither: "
        "remove the declaration.",
        line=line,
    )


# --------------------------------------------------------------------------------- Units of length

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
                element, f"the linearUnit is {name[:40]!r}; expected a unit of FileUnits: {known}."
            )
        if name:
            return Unit(name=name, scale=units.scales[name])
    return Unit(name=units.primary, scale=units.scales[units.primary])
