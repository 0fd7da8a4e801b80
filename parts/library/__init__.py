"""Parts that are made here, with known truth."""

from parts.library.artefacts import names as names
from parts.library.artefacts import open_part as open_part
from parts.library.synthetic import LibraryPart as LibraryPart
from parts.library.synthetic import stl_bytes as stl_bytes
