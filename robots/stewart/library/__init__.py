"""Platforms as data, and the one door through which a name or path becomes a platform."""

from robots.stewart.library.catalogue import load as load
from robots.stewart.library.catalogue import names as names
from robots.stewart.library.catalogue import open_platform as open_platform
from robots.stewart.library.catalogue import text_of as text_of
