"""Instructions instead of seconds: what a kernel or a solver executes is the same on a busy machine."""
