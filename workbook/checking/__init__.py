"""A workbook against the rules: its formulas, its values, and what was typed since."""
