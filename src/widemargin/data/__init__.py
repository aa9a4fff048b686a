"""Data: rows, blocks and sources, and the one door (intake) through which they come in."""
