"""The 3D scene inside the page: which of its scripts may run, and what it must not do.

The page that viser writes carries its program packed: text in a base of 88 characters, inside it
Zstandard, inside it a style and a module that a first script adds to the page. A policy must name
the module's hash, so it is unpacked here, too. A style that a script adds would need a hash as
well, and some are made while the scene runs; a short script of ours in front hands them to the
browser as style sheets that were built by script, which a policy allows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

import numpy as np

from reports.page.html import asset, digest

LIMIT = 10_000_000  # bytes of a scene that is embedded

_ALPHABET = (
    "!#$%()*+,-./0123456789:;=?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_abcdefghijklmnopqrstuvwxyz{|}~"
)
_DIGITS, _BYTES = 5, 4  # of a group
_PACKED = re.compile(r'<script data-p="([^"]*)" data-ss="(\d+)" data-cs="(\d+)"')
_INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_STYLE = re.compile(r"<style\b[^>]*>(.*?)</style>", re.DOTALL | re.IGNORECASE)
_MOST = 50_000_000  # bytes of an unpacked program


@dataclass(frozen=True, slots=True, kw_only=True)
class PageScene:
    """A scene as the page holds it.

    Args:
        text: the whole page of the scene.
        scripts: digests of all that runs in it.
        styles: digests of styles that it holds, or makes while they are still empty.
    """

    text: str
    scripts: tuple[str, ...]
    styles: tuple[str, ...]


def embeds(scene_html: str) -> bool:
    """Whether the page holds the scene; a larger one belongs beside it, as ``scene.html``."""
    return len(scene_html.encode("utf-8")) <= LIMIT


def page_scene(scene_html: str | None) -> PageScene | None:
    """The scene that a page holds; None for none, or for one that belongs beside the page."""
    if scene_html is None or not embeds(scene_html):
        return None
    return embedded(scene_html, asset("scene.js"))


def embedded(scene_html: str, guard: str) -> PageScene:
    """The scene with a guard in front of its scripts.

    Args:
        scene_html: a page of its own, as viser writes it; others that hold plain scripts work too.
        guard: script that runs before all others.
    """
    text = scene_html.replace("\r\n", "\n").replace("\r", "\n")  # what a browser hashes
    head = re.search(r"<head\b[^>]*>", text)
    place = head.end() if head else 0
    scripts = [guard, *_INLINE.findall(text)]
    packed = _PACKED.search(text)
    if packed:
        scripts.append(_program(unescape(packed[1]), int(packed[2]), int(packed[3])))
    whole = f"{text[:place]}<script>{guard}</script>{text[place:]}"
    styles = ["", *_STYLE.findall(text)]
    return PageScene(
        text=whole, scripts=tuple(map(digest, scripts)), styles=tuple(map(digest, styles))
    )


def _program(packed: str, style: int, code: int) -> str:
    """The module that the scene's first script unpacks and runs."""
    import zstandard

    content = zstandard.ZstdDecompressor().decompress(
        _decoded(packed), max_output_size=min(style + code, _MOST)
    )
    return content[style : style + code].decode("utf-8")


def _decoded(packed: str) -> bytes:
    """Bytes from groups of five digits in base 88, the highest first; the last may be short."""
    values = np.zeros(128, dtype=np.uint64)
    values[np.frombuffer(_ALPHABET.encode("ascii"), dtype=np.uint8)] = np.arange(len(_ALPHABET))
    digits = values[np.frombuffer(packed.encode("ascii"), dtype=np.uint8)]
    whole = len(digits) // _DIGITS * _DIGITS
    powers = np.uint64(len(_ALPHABET)) ** np.arange(_DIGITS - 1, -1, -1, dtype=np.uint64)
    groups = np.sum(digits[:whole].reshape(-1, _DIGITS) * powers, axis=1, dtype=np.uint64)
    end, rest = 0, digits[whole:].tolist()
    for digit in rest:
        end = end * len(_ALPHABET) + int(digit)
    last = end.to_bytes(_BYTES, "big")[-(len(rest) - 1) :] if len(rest) > 1 else b""
    return groups.astype(">u4").tobytes() + last
