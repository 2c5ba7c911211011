"""The expressions of the rule language: syntax tree, parser, checker, functions and printers."""
