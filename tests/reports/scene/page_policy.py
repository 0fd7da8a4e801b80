"""What the replay's page must be allowed to do, for the Content-Security-Policy around it.

Nothing is loaded from anywhere: what the page fetches are ``data:`` addresses that it holds itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Five signs of viser's alphabet are four bytes, the highest first.
_ALPHABET = np.array([ord(sign) for sign in map(chr, range(0x21, 0x7F)) if sign not in "\"&<>'`"])
_GROUP, _BYTES = 5, 4
_SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
_PACKED = re.compile(r'data-p="([^"]*)" data-ss="(\d+)" data-cs="(\d+)"')


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePolicy:
    """Sources to be allowed, as a policy writes them.

    Args:
        script: hashes of every script, those that the page unpacks for itself too, and WebAssembly.
        style: viser's client makes style sheets as it runs.
        connect: its own lights and decoders.
        img: the same.
    """

    script: tuple[str, ...]
    style: tuple[str, ...] = ("'unsafe-inline'",)
    connect: tuple[str, ...] = ("data:",)
    img: tuple[str, ...] = ("data:", "blob:")

    @property
    def text(self) -> str:
        """The whole policy, which allows nothing else."""
        rules = {
            "script-src": self.script,
            "style-src": self.style,
            "connect-src": self.connect,
            "img-src": self.img,
        }
        return "; ".join(["default-src 'none'", *(f"{k} {' '.join(v)}" for k, v in rules.items())])


def page_policy(page: str) -> PagePolicy:
    """The narrowest policy under which a page of ``scene_html`` works.

    Args:
        page: as ``scene_html`` wrote it.
    """
    found = _SCRIPT.findall(page)
    scripts = [script.encode() for _, script in found]
    for attributes, _ in found:
        packed = _PACKED.search(attributes)
        if packed:
            scripts.append(_unpacked(packed[1])[int(packed[2]) :])
    hashes = [f"'sha256-{_base64(hashlib.sha256(script).digest())}'" for script in scripts]
    return PagePolicy(script=(*hashes, "'wasm-unsafe-eval'"))


def _unpacked(text: str) -> bytes:
    """Style sheet and programme of viser's client, which stand in an attribute of its loader."""
    import zstandard

    return bytes(zstandard.ZstdDecompressor().decompress(_bytes(text)))


def _bytes(text: str) -> bytes:
    """A rest of fewer signs has one byte less than signs."""
    places = np.zeros(128, dtype=np.uint64)
    places[_ALPHABET] = np.arange(_ALPHABET.size)
    digits: NDArray[np.uint64] = places[np.frombuffer(text.encode("ascii"), dtype=np.uint8)]
    whole = digits.size - digits.size % _GROUP
    powers = np.uint64(_ALPHABET.size) ** np.arange(_GROUP - 1, -1, -1, dtype=np.uint64)
    groups = (digits[:whole].reshape(-1, _GROUP) * powers).sum(axis=1, dtype=np.uint64)
    rest = 0
    for digit in digits[whole:].tolist():
        rest = rest * _ALPHABET.size + digit
    tail = rest.to_bytes(digits.size - whole - 1, "big") if digits.size > whole else b""
    return bytes(groups.astype(">u4").tobytes()) + tail


def _base64(digest: bytes) -> str:
    return base64.b64encode(digest).decode("ascii")
