"""What a mechanism is and how it moves; knows no part."""
