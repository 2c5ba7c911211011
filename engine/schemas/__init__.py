"""JSON Schemas of rule files and presets, for editors."""
