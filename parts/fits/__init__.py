"""Fits: features from measured points, with their certificates and covariances."""

from parts.fits.certificate import Certificate as Certificate
from parts.fits.curves import FlatCircle as FlatCircle
from parts.fits.curves import FlatLine as FlatLine
from parts.fits.curves import SpaceCircle as SpaceCircle
from parts.fits.curves import SpaceLine as SpaceLine
from parts.fits.dispatch import FIT_KINDS as FIT_KINDS
from parts.fits.dispatch import fit as fit
from parts.fits.dispatch import fit_circle2d as fit_circle2d
from parts.fits.dispatch import fit_circle3d as fit_circle3d
from parts.fits.dispatch import fit_cone as fit_cone
from parts.fits.dispatch import fit_cylinder as fit_cylinder
from parts.fits.dispatch import fit_line2d as fit_line2d
from parts.fits.dispatch import fit_line3d as fit_line3d
from parts.fits.dispatch import fit_plane as fit_plane
from parts.fits.dispatch import fit_sphere as fit_sphere
from parts.fits.dispatch import fit_torus as fit_torus
from parts.fits.errors import FitError as FitError
from parts.fits.fitted import Derived as Derived
from parts.fits.fitted import Fit as Fit
from parts.fits.robust import Outlier as Outlier
from parts.fits.robust import Outliers as Outliers
from parts.fits.robust import outliers as outliers
from parts.fits.shape import Shape as Shape
