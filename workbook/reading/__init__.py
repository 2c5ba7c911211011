"""From a file that anybody may have written to presets."""
