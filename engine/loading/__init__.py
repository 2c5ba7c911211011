"""From rule files to a rule set: what a file may say, and what it means."""
