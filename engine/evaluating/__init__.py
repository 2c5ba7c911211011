"""From a rule set and a preset to values: inputs, the lazy environment, and the tests of rules."""
