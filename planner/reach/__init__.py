"""How a robot serves probe points: branches, probing lines, margins."""
