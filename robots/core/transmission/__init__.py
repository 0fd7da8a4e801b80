"""Transmissions: from joints to the motors that drive them, and back."""

from robots.core.transmission.cardan_screws import CardanScrews
from robots.core.transmission.crank_screw import CrankScrew
from robots.core.transmission.drives import Drives
from robots.core.transmission.errors import TransmissionError
from robots.core.transmission.fixed_ratio import FixedRatio
from robots.core.transmission.protocol import Transmission

__all__ = [
    "CardanScrews",
    "CrankScrew",
    "Drives",
    "FixedRatio",
    "Transmission",
    "TransmissionError",
]
