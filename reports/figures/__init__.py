"""Figures of a plan: curves of every joint, total power, and the path of the ball."""

from reports.figures.gallery import draw_figures as draw_figures
from reports.figures.gallery import plan_figure as plan_figure
