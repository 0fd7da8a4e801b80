"""URDF ⇄ Mechanism."""

from robots.core.urdf.read import load_urdf as load_urdf
from robots.core.urdf.read import read_urdf as read_urdf
from robots.core.urdf.write import write_urdf as write_urdf
