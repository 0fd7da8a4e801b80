"""TOML read in time and memory proportional to its length."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from typing import Any

from robots.core.file_units import decimal_of

MOST_PARTS = 32  # of a dotted key; no file of ours has more than six
# For every part of a dotted key tomllib keeps all that stand before it, so that 50 kB of "a.a.a…"
# take 15 s and 1 MB more memory than there is.
_DEEP = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){%d}""" % MOST_PARTS,
    re.ASCII,
)


def toml_document(text: str, parse_float: Callable[[str], object] = decimal_of) -> dict[str, Any]:
    """Read a TOML document, by default with its decimals exactly as printed.

    Args:
        text: of a file.
        parse_float: makes a value of a decimal.

    Raises:
        ValueError: not TOML; a dotted key with more than ``MOST_PARTS`` parts.
        RecursionError: nested too deeply.
    """
    deep = _DEEP.search(text)
    if deep is not None:
        line = text.count("\n", 0, deep.start()) + 1
        raise tomllib.TOMLDecodeError(
            f"A dotted key has more than {MOST_PARTS} parts (at line {line}, column 1)"
        )
    return tomllib.loads(text, parse_float=parse_float)
