"""Figures of a plan: curves of every joint, total power, and the path of the ball."""

from reports.figures.motion import draw_figures as draw_figures
from reports.figures.motion import plan_figure as plan_figure
