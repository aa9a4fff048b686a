"""Who reduces over the rows: threads of this machine."""
