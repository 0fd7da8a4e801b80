"""The Stewart-Gough platform: six legs that carry, move and present a part."""
