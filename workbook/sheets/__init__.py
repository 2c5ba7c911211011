"""What stands on each sheet, before any file format comes into play."""
