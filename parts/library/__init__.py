"""Parts that are made here, with known truth."""

from parts.library.catalogue import names as names
from parts.library.catalogue import open_part as open_part
from parts.library.synthetic import LibraryPart as LibraryPart
from parts.library.synthetic import stl_bytes as stl_bytes
