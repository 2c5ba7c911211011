"""The same rules over arrays: grids and rows of configurations."""
