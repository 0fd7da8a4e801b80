"""Motion in time: laws, least durations, straight lines, exact time scaling."""
