"""Transmissions: from joints to the motors that drive them, and back."""

from robots.core.errors import TransmissionError
from robots.core.transmission.drives import Drives, FixedRatio, Transmission
from robots.core.transmission.screws import CardanScrews, CrankScrew

__all__ = [
    "CardanScrews",
    "CrankScrew",
    "Drives",
    "FixedRatio",
    "Transmission",
    "TransmissionError",
]
