"""Linear classifiers of other programs -> a Model with the same decisions."""
