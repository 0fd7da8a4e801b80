"""Wait until what was written is on the disk, on every system."""

from __future__ import annotations

import errno
import os
from pathlib import Path

# Of a network folder that brings names to the disk by itself.
_BY_ITSELF = frozenset({errno.EINVAL, errno.ENOTSUP})


def to_disk(path: Path) -> None:
    """Wait until a file's content, or a folder's names, are on the disk.

    Windows opens no folder and writes its names by itself; there a file has to be open to write.

    Raises:
        OSError: it cannot be brought there.
    """
    is_folder = path.is_dir()
    if os.name == "nt" and is_folder:
        return
    handle = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if not is_folder or error.errno not in _BY_ITSELF:
            raise
    finally:
        os.close(handle)
