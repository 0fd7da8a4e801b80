"""Bipeds as data, and the one door through which a name or path becomes a biped."""

from robots.biped.biped_file import KnownDrives as KnownDrives
from robots.biped.biped_file import biped_names as biped_names
from robots.biped.biped_file import known_drives as known_drives
from robots.biped.biped_file import open_biped as open_biped
from robots.biped.biped_file import open_drives as open_drives
from robots.biped.biped_file import text_of as text_of
