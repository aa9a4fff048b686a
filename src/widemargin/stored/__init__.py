"""What a model file is made of: the container, the document in it, how it is written; and its first version."""
