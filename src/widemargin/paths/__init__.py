"""Paths of strengths, and which strength to take."""
