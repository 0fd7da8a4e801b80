"""XML from strangers, read tag by tag: no entities, no document type, no network, no tree."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any
from xml.parsers import expat

from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

Attributes = dict[str, str]
NESTED = 200  # levels of elements; formats that are read here need a dozen


def scan_xml(
    file: SourceFile,
    chunks: Iterable[bytes],
    place: str,
    *,
    start: Callable[[str, Attributes], None],
    end: Callable[[str], None] | None = None,
    tags: int = 0,
) -> int:
    """Call back for every tag of a document; nothing is kept.

    Args:
        file: it comes from, for messages.
        chunks: of its bytes.
        place: what it is, for messages.
        start: takes the name of an element without its namespace, and its attributes by their
            names without theirs.
        end: takes the name of an element.
        tags: of documents read before; they count for the cap.

    Returns:
        Number of tags so far.

    Raises:
        PartError: not well formed, with a document type, or over a cap.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    names: list[str] = []
    count, limit = tags, Cap.XML_TAGS.limit
    taken = 0  # bytes up to the last tag

    def started(name: str, attributes: Attributes) -> None:
        nonlocal count, taken
        count += 1
        if count > limit:
            file.check_count("tags", count, Cap.XML_TAGS)
        taken = parser.CurrentByteIndex
        local = name.rpartition(" ")[2]
        names.append(local)
        if len(names) > NESTED:
            raise file.error(f"{place} has elements within elements, more than {NESTED} deep.")
        for key in attributes:
            if " " in key:
                attributes = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
                break
        start(local, attributes)

    def ended(name: str) -> None:
        del name
        local = names.pop()
        if end is not None:
            end(local)

    def refused(*_: Any) -> None:
        raise file.error(
            f"{place} has a document type, which could define entities; it is not to be trusted."
        )

    parser.StartElementHandler = started
    parser.EndElementHandler = ended
    parser.StartDoctypeDeclHandler = refused
    fed = 0
    try:
        for chunk in chunks:
            fed += len(chunk)
            parser.Parse(chunk, False)
            if fed - taken - len(chunk) > Cap.GEOMETRY_LINE.limit:
                raise file.error(
                    f"{place} has a tag or text of more than {Cap.GEOMETRY_LINE.limit} bytes; "
                    f"{Cap.GEOMETRY_LINE.advice}."
                )
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise file.error(f"{place} is not well-formed XML: {str(error)[:150]}.") from None
    except (ValueError, LookupError) as error:  # an encoding that is not known
        raise file.error(f"{place} is not well-formed XML: {str(error)[:150]}.") from None
    return count
