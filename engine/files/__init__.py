"""Text and YAML files as they stand on disk: every value knows its line and column."""
