"""Bipeds as data, and the one door through which a name or path becomes a biped."""

from robots.biped.library.catalogue import KnownDrives as KnownDrives
from robots.biped.library.catalogue import biped_names as biped_names
from robots.biped.library.catalogue import known_drives as known_drives
from robots.biped.library.catalogue import open_biped as open_biped
from robots.biped.library.catalogue import open_drives as open_drives
from robots.biped.library.catalogue import text_of as text_of
