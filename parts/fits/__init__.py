"""Fits: features from measured points, with their certificates and covariances."""

from parts.fits.curves import FlatCircle as FlatCircle
from parts.fits.curves import FlatLine as FlatLine
from parts.fits.curves import SpaceCircle as SpaceCircle
from parts.fits.curves import SpaceLine as SpaceLine
from parts.fits.errors import FitError as FitError
from parts.fits.fit_result import Derived as Derived
from parts.fits.fit_result import Fit as Fit
from parts.fits.fit_result import FitCertificate as FitCertificate
from parts.fits.fit_result import FittedShape as FittedShape
from parts.fits.fitting import FIT_KINDS as FIT_KINDS
from parts.fits.fitting import Outlier as Outlier
from parts.fits.fitting import Outliers as Outliers
from parts.fits.fitting import fit as fit
from parts.fits.fitting import outliers as outliers
from parts.fits.zone import ENVELOPE_KINDS as ENVELOPE_KINDS
from parts.fits.zone import Envelope as Envelope
from parts.fits.zone import Zone as Zone
from parts.fits.zone import ZoneCertificate as ZoneCertificate
from parts.fits.zone import circumscribed as circumscribed
from parts.fits.zone import inscribed as inscribed
from parts.fits.zone import material_envelope as material_envelope
from parts.fits.zone import minimum_zone as minimum_zone
