"""Measurements behind every speed claim; `python -m bench` runs them, bench/README.md says how to read them."""
