"""XML from strangers: no entities, no document type, no network, no huge trees."""

from __future__ import annotations

from typing import Any

from parts.geometry.source_file import SourceFile


def parse_xml(file: SourceFile, raw: bytes, place: str) -> Any:
    """Root element of a document.

    Args:
        file: it comes from, for messages.
        raw: its bytes.
        place: what it is, for messages.

    Raises:
        PartError: not well formed, or with a document type.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        dtd_validation=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(raw, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise file.error(f"{place} is not well-formed XML: {str(error)[:150]}.") from None
    docinfo = root.getroottree().docinfo
    if docinfo.doctype or docinfo.internalDTD is not None:
        raise file.error(
            f"{place} has a document type, which could define entities; it is not to be trusted.",
            found=docinfo.doctype[:100],
        )
    return root


def local_name(element: Any) -> str:
    """Name of an element without its namespace; empty for what is no element."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""
