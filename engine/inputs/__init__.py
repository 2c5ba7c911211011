"""What an input takes, and the names that it provides to formulas."""
