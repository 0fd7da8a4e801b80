"""Figures of an evaluation and of an uncertainty."""

from reports.evaluation.figures.gallery import EvaluationFigure as EvaluationFigure
from reports.evaluation.figures.gallery import evaluation_drawings as evaluation_drawings
from reports.evaluation.figures.gallery import rendered_drawings as rendered_drawings
from reports.evaluation.figures.gallery import uncertainty_drawings as uncertainty_drawings
