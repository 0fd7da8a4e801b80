"""Robots as data, and the one door through which a robot's name or path becomes a mechanism."""

from robots.library.catalogue import document_of as document_of
from robots.library.catalogue import load as load
from robots.library.catalogue import maker_of as maker_of
from robots.library.catalogue import names as names
from robots.library.catalogue import open_robot as open_robot
from robots.library.catalogue import text_of as text_of
