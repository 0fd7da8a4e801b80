"""Zip archives from strangers: counted before they are opened, read only as far as promised."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator

from parts.geometry.source_file import SourceFile
from robots.core.caps import Cap

_ENTRY = b"PK\x01\x02"  # starts an entry of the directory
CHUNK = 65_536  # [byte] unpacked at a time
SMALL = 100_000  # [byte] below it a high ratio harms nobody: a blank page packs a thousandfold


class Archive:
    """The entries of an archive, after the checks.

    Args:
        file: a zip file.

    Raises:
        PartError: not a zip file, over a cap, a name that leaves the archive, an encrypted entry.
    """

    __slots__ = ("_file", "_infos", "_zip")

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        # zipfile makes an object of every entry of the directory before it can be asked for them
        file.check_count("entries", file.raw.count(_ENTRY), Cap.ARCHIVE_ENTRIES)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(file.raw))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise file.error(f"it is not a zip archive: {error}. Export it again.") from None
        infos = self._zip.infolist()
        total = sum(info.file_size for info in infos)
        file.check_count("bytes unpacked", total, Cap.ARCHIVE_BYTES)
        for info in infos:
            self._check(info)
        self._infos = {info.filename.lstrip("/").lower(): info for info in infos}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the entries, in lower case, without a leading slash."""
        return tuple(self._infos)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The bytes of an entry, piece by piece, by a name that is not case-sensitive.

        Raises:
            PartError: there is no such entry, or it is damaged.
        """
        info = self._infos.get(name.lstrip("/").lower())
        if info is None:
            raise self._file.error(
                f"it has no entry {name[:100]!r}; it is not 3MF, or incomplete. Export it again.",
                found=name[:100],
            )
        try:
            with self._zip.open(info) as entry:
                left = info.file_size
                while left > 0 and (chunk := entry.read(min(CHUNK, left))):
                    left -= len(chunk)
                    yield chunk
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise self._file.error(
                f"its entry {name[:100]!r} is damaged: {str(error)[:100]}. Export it again."
            ) from None

    def _check(self, info: zipfile.ZipInfo) -> None:
        parts = info.filename.replace("\\", "/").split("/")
        if ".." in parts or "\\" in info.filename or ":" in parts[0]:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} leaves the archive; it is not to be trusted.",
                found=info.filename[:100],
            )
        ratio = info.file_size / max(info.compress_size, 1)
        if info.file_size > SMALL and ratio > Cap.ARCHIVE_RATIO.limit:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} unpacks {ratio:.0f}-fold, from "
                f"{info.compress_size} to {info.file_size} bytes; expected at most "
                f"{Cap.ARCHIVE_RATIO.limit}-fold. It may be a zip bomb; if the file is trusted, "
                f"{Cap.ARCHIVE_RATIO.advice}.",
                found=ratio,
                limit=Cap.ARCHIVE_RATIO.limit,
            )
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self._file.error(
                f"its entry {info.filename[:100]!r} is packed by method {info.compress_type}; "
                "expected deflate, as 3MF demands. Export it again.",
                found=info.compress_type,
            )
        if info.flag_bits & 1:
            raise self._file.error(
                f"its entry {info.filename[:100]!r} is encrypted. Export it without password."
            )
