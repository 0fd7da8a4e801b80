"""The page of every finding code; ``palpeur explain CODE`` prints it. Its texts: ``pages.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from planner.errors import FindingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a finding means.

    Args:
        code: stable, never used again for something else.
        title: a few words.
        meaning: what was found.
        cause: where it usually comes from.
        fix: what to do.
    """

    code: str
    title: str
    meaning: str
    cause: str
    fix: str


@cache
def pages() -> tuple[Page, ...]:
    """All pages, in the order of their codes."""
    text = (files("planner.findings") / "pages.toml").read_text(encoding="utf-8")
    return tuple(
        Page(code=code, **{name: " ".join(prose.split()) for name, prose in texts.items()})
        for code, texts in tomllib.loads(text).items()
    )


def page(code: str) -> Page:
    """The page of a code, in any case of letters.

    Raises:
        FindingError: no such code; the message names the nearest ones.
    """
    by_code = {item.code: item for item in pages()}
    wanted = code.strip().upper()
    if wanted in by_code:
        return by_code[wanted]
    near = [c for c in by_code if wanted and c.startswith(wanted)]
    near = near or sorted(get_close_matches(wanted, by_code, n=3, cutoff=0.5))
    advice = f"the nearest: {', '.join(near)}" if near else f"there are {', '.join(by_code)}"
    raise FindingError(f"There is no finding {code!r}; {advice}.", code=code, nearest=tuple(near))
