"""Pages of findings: what a code means, its cause and its fix."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from planner.findings import Page
from reports.answers import FORMAT, table_lines

_WIDTH = 88


def page_document(found: Page) -> dict[str, object]:
    """One page in JSON."""
    return {"format": FORMAT, **asdict(found)}


def page_lines(found: Page) -> Iterator[str]:
    """One page as text of limited width."""
    yield f"{found.code}: {found.title}"
    for title, text in (("Meaning", found.meaning), ("Cause", found.cause), ("Fix", found.fix)):
        body = textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        yield f"\n{title}\n{body}"


def pages_document(found: Sequence[Page]) -> dict[str, object]:
    """All pages in JSON."""
    return {"format": FORMAT, "findings": [asdict(item) for item in found]}


def pages_lines(found: Sequence[Page]) -> Iterator[str]:
    """All codes with their titles."""
    yield from table_lines(("code", "finding"), [(item.code, item.title) for item in found])
