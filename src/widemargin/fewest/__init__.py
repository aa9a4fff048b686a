"""The zero-one loss itself: min sum s [z <= 0] over all hyperplanes, with the hyperplane and a bound below it."""
