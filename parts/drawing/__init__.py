"""Drawings: what a CAD file says of its part beside the shape."""

from parts.drawing.document import drawing_document as drawing_document
from parts.drawing.drawing import Datum as Datum
from parts.drawing.drawing import DatumElement as DatumElement
from parts.drawing.drawing import DatumReference as DatumReference
from parts.drawing.drawing import DatumTarget as DatumTarget
from parts.drawing.drawing import Dimension as Dimension
from parts.drawing.drawing import Drawing as Drawing
from parts.drawing.drawing import GeometricTolerance as GeometricTolerance
from parts.drawing.drawing import UnreadItem as UnreadItem
from parts.drawing.step_pmi import drawing_of as drawing_of
from parts.drawing.step_pmi import read_drawing as read_drawing
