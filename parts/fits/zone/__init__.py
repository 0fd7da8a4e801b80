"""Zones: the narrowest that hold all points, and circumscribed and inscribed features."""

from parts.fits.zone.envelopes import ENVELOPE_KINDS as ENVELOPE_KINDS
from parts.fits.zone.envelopes import circumscribed as circumscribed
from parts.fits.zone.envelopes import inscribed as inscribed
from parts.fits.zone.envelopes import material_envelope as material_envelope
from parts.fits.zone.minimum import minimum_zone as minimum_zone
from parts.fits.zone.result import Envelope as Envelope
from parts.fits.zone.result import Zone as Zone
from parts.fits.zone.result import ZoneCertificate as ZoneCertificate
