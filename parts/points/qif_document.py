"""QIF 3.0 (ISO 23952) text → document tree, without entities, network or huge trees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from parts.errors import PointsError
from parts.points.decimals import numbers
from parts.points.faults import fault, shown
from parts.points.file_text import check_cap, check_size
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
