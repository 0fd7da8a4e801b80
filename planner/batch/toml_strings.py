"""Strings of a TOML document, found without building it: a key is made of every case, thrice."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import lru_cache

_LONGEST_NAME = 4096  # bytes of a path that systems open
# Outside of strings and comments TOML knows no quotes. A quote that opens nothing ends the search,
# so no text is gone over twice.
_TOKEN = re.compile(
    r"""
    \#[^\n]*
    | (?P<odd> "{3} (?: [^"\\] | \\. | "(?!"") )*+ "{3,5} | '{3} (?: [^'] | '(?!'') )*+ '{3,5} )
    | "(?!"") (?P<basic> (?: [^"\\\n] | \\[^\n] )*+ ) "
    | '(?!'') (?P<literal> [^'\n]*+ ) '
    | (?P<torn> ["'] )
    """,
    re.VERBOSE | re.DOTALL,
)


@lru_cache(maxsize=4)  # a worker looks at a job before it and after it
def names_in(raw: bytes) -> tuple[str, ...]:
    """Strings of a document that may be paths, sorted; all values that are strings are among them.

    Quoted keys are, too. Of what is no TOML those before the fault may be.
    """
    try:
        return tuple(sorted({text for text in _strings(raw.decode("utf-8-sig")) if _usable(text)}))
    except ValueError:
        return ()


def _strings(text: str) -> Iterator[str]:
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "torn":
            return
        if kind == "odd" or (kind == "basic" and "\\" in token["basic"]):
            yield tomllib.loads(f"x = {token[0]}")["x"]
        elif kind is not None:
            yield token[kind]


def _usable(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and "\0" not in text
