"""What rules that load can still be warned of."""
