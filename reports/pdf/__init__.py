"""The report as a PDF for signature: vector figures, tagged text, embedded fonts."""
