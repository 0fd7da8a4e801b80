"""What a report set holds."""

from __future__ import annotations

DOCUMENT = "plan.json"
TRAJECTORY = ("trajectory.parquet", "trajectory.csv")
POINTS = "points.csv"
READ_ME = "README.txt"
FIGURES = "figures"
PAGE, PAPER, WORKBOOK = "report.html", "report.pdf", "tables.xlsx"
SCENE, REPLAY = "scene.glb", "scene.html"
ALWAYS = ("dmis", "ipp", "qif")  # programmes that every set holds
