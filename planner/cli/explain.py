"""``palpeur explain CODE``: the page of a finding."""

from __future__ import annotations

import textwrap
from dataclasses import asdict

from planner.cli.exit_codes import ExitCode
from planner.findings import Page, page, pages

_WIDTH = 88


def print_page(code: str, *, as_json: bool) -> int:
    """Print one page, or the list of codes.

    Raises:
        FindingError: no such code.
    """
    from planner.cli.output import print_json, print_table

    if not code:
        if as_json:
            print_json({"format": 1, "findings": [asdict(item) for item in pages()]})
        else:
            print_table(("code", "finding"), [(item.code, item.title) for item in pages()])
        return ExitCode.DONE
    found = page(code)
    if as_json:
        print_json({"format": 1, **asdict(found)})
    else:
        print(page_text(found))
    return ExitCode.DONE


def page_text(found: Page) -> str:
    """A page as text of limited width."""
    parts = [f"{found.code}: {found.title}"]
    for title, text in (("Meaning", found.meaning), ("Cause", found.cause), ("Fix", found.fix)):
        body = textwrap.fill(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")
        parts.append(f"{title}\n{body}")
    return "\n\n".join(parts)
