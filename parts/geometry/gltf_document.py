"""The JSON of a glTF file, read with suspicion: every index and count is tested before use."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

MAGIC = b"glTF"
_JSON, _BIN = 0x4E4F534A, 0x004E4942


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Document:
    """A glTF document.

    Args:
        file: it came from.
        tree: its JSON.
        binary: second chunk of a GLB file; empty where there is none.
    """

    file: SourceFile
    tree: dict[str, Any]
    binary: bytes

    def items(self, kind: str) -> list[Any]:
        """A list of the top level; empty where there is none."""
        found = self.tree.get(kind, [])
        if not isinstance(found, list):
            raise self.file.error(f"{kind!r} is not a list; the file is damaged. Export it again.")
        return found

    def item(self, kind: str, index: object) -> dict[str, Any]:
        """An object of a list of the top level."""
        items = self.items(kind)
        if type(index) is not int or not 0 <= index < len(items):
            raise self.file.error(
                f"it names item {str(index)[:40]} of {kind!r}, which has {len(items)}; the file is "
                "damaged. Export it again.",
                found=index,
                limit=len(items) - 1,
            )
        return self.object(items[index], f"{kind}[{index}]")

    def object(self, value: object, place: str) -> dict[str, Any]:
        """A value that must be a JSON object."""
        if not isinstance(value, dict):
            raise self.file.error(
                f"{place} is not an object; the file is damaged. Export it again."
            )
        return value

    def list(self, holder: dict[str, Any], key: str, place: str) -> list[Any]:
        """A list inside an object; empty where there is none."""
        found = holder.get(key, [])
        if not isinstance(found, list):
            raise self.file.error(
                f"{key!r} of {place} is not a list; the file is damaged. Export it again."
            )
        return found

    def count(self, holder: dict[str, Any], key: str, place: str, default: int | None = 0) -> int:
        """A whole number of at least 0 inside an object."""
        found = holder.get(key, default)
        if type(found) is not int or found < 0 or found > 2**53:
            raise self.file.error(
                f"{key!r} of {place} is {str(found)[:40]}; expected a whole number of at least 0. "
                "The file is damaged; export it again.",
                found=str(found)[:40],
            )
        return found

    def text(self, holder: dict[str, Any], key: str) -> str:
        """A short text; empty where there is none."""
        found = holder.get(key, "")
        return found[:100] if isinstance(found, str) else ""


def document_of(file: SourceFile) -> Document:
    """Read a GLB or glTF file's JSON and binary chunk.

    Raises:
        PartError: damaged chunks, not JSON, an unknown version or required extension.
    """
    text, binary = _chunks(file) if file.raw[:4] == MAGIC else (file.raw, b"")
    # each value of the tree takes some twenty times the bytes of its text
    values = sum(text.count(sign) for sign in (b",", b"[", b"{"))
    file.check_count("values in its JSON", values, Cap.GLTF_VALUES)
    try:
        tree = json.loads(text.decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise file.error(f"its JSON cannot be read: {str(error)[:100]}. Export it again.") from None
    if not isinstance(tree, dict):
        raise file.error("its JSON is not an object; expected a glTF document.")
    document = Document(file=file, tree=tree, binary=binary)
    _check_kind(document)
    return document


def _chunks(file: SourceFile) -> tuple[bytes, bytes]:
    raw = file.raw
    version, length = int.from_bytes(raw[4:8], "little"), int.from_bytes(raw[8:12], "little")
    if len(raw) < 20 or version != 2 or length != len(raw):
        raise file.error(
            f"its header promises GLB version {version} and {length} bytes; expected version 2 and "
            f"the {len(raw)} bytes that the file has. It is damaged or cut off; export it again.",
            found=length,
            expected=len(raw),
        )
    found: dict[int, bytes] = {}
    start = 12
    while start + 8 <= len(raw):
        size = int.from_bytes(raw[start : start + 4], "little")
        kind = int.from_bytes(raw[start + 4 : start + 8], "little")
        if start + 8 + size > len(raw):
            raise file.error(
                f"a chunk at byte {start} promises {size} bytes, but only "
                f"{len(raw) - start - 8} follow. Export it again.",
                found=size,
            )
        if kind in (_JSON, _BIN):
            found.setdefault(kind, raw[start + 8 : start + 8 + size])
        start += 8 + size
    if _JSON not in found:
        raise file.error("it has no JSON chunk; it is damaged. Export it again.")
    return found[_JSON], found.get(_BIN, b"")


def _check_kind(document: Document) -> None:
    asset = document.object(document.tree.get("asset", {}), "asset")
    version = document.text(asset, "version")
    if not version.startswith("2."):
        raise document.file.error(
            f"it is glTF version {version!r}; expected 2.0. Export it as glTF 2.0.", found=version
        )
    for extension in document.items("extensionsRequired"):
        raise document.file.error(
            f"it requires the extension {str(extension)[:60]!r}, which is not read. Export it "
            "without compression or quantisation.",
            found=str(extension)[:60],
        )


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of JSON")
