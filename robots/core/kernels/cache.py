"""Machine code and fitted shapes on disk, by content hash; any number of processes may share it.

An entry is written under a private name and renamed into place, so a reader sees all of it or none.
It starts with its own SHA-256: a damaged or half-copied entry is made again, never used. The folder
is in ``$PALPEUR_CACHE_DIR``, else in the user's cache folder; it is created for its owner only, and
a folder that other users may write to is not used.

What was compiled ahead (``ahead.py``) lies in the package itself and is looked at first: whoever
can write there can write the code that reads it.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

_DIGEST = 32  # bytes of SHA-256 in front of every entry
_AHEAD = Path(__file__).parent  # folders of what was compiled ahead


def cache_folder(kind: str = "kernels") -> Path:
    """Folder of compiled kernels, or of another kind of entry; it may not exist yet."""
    chosen = os.environ.get("PALPEUR_CACHE_DIR")
    if chosen:
        return Path(chosen) / kind
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / "palpeur" / kind


def read(key: str, kind: str = "kernels") -> bytes | None:
    """The entry's machine code, or other content; None when there is none that can be trusted."""
    path = cache_folder(kind) / f"{key}.o"
    try:
        if not _is_private(path.parent):
            return None
        return _checked(path.read_bytes())
    except OSError:
        return None


def read_ahead(name: str) -> bytes | None:
    """The entry that was compiled ahead; None when there is none, or a damaged one.

    Args:
        name: of its folder and file.
    """
    try:
        return _checked((_AHEAD / name).read_bytes())
    except OSError:
        return None


def write_ahead(entries: Mapping[str, bytes]) -> None:
    """Store entries in the package, and remove those of former sources."""
    paths = {_AHEAD / name: code for name, code in entries.items()}
    for path, code in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, code)
    for folder, suffix in {(path.parent, path.suffix) for path in paths}:
        for path in folder.glob(f"*{suffix}"):
            if path not in paths:
                path.unlink()


def _checked(content: bytes) -> bytes | None:
    code = content[_DIGEST:]
    return code if hashlib.sha256(code).digest() == content[:_DIGEST] else None


def write(key: str, code: bytes, kind: str = "kernels") -> None:
    """Store an entry; a folder that cannot be written only costs making it again."""
    folder = cache_folder(kind)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(folder):
            return
        _replace(folder / f"{key}.o", code)
    except OSError:
        return


def _replace(path: Path, code: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem[:16]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _is_private(folder: Path) -> bool:
    """Return whether nobody but the owner may write: machine code from others is not run."""
    if sys.platform == "win32":
        return True
    info = folder.stat()
    return info.st_uid == os.getuid() and not info.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
