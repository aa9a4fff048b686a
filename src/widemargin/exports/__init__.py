"""A model as a file of another language, and the proof that it answers alike."""
