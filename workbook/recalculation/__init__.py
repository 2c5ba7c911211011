"""Recalculation of a workbook in engines that nobody here wrote."""
