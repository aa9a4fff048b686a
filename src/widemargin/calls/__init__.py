"""A call of another program, as text -> the same problem for wm.fit."""
