"""Platforms as data, and the one door through which a name or path becomes a platform."""

from robots.stewart.platform_file import load as load
from robots.stewart.platform_file import names as names
from robots.stewart.platform_file import open_platform as open_platform
from robots.stewart.platform_file import text_of as text_of
