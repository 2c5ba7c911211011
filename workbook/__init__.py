"""The Excel side: a generated workbook that carries the rules as live formulas."""
