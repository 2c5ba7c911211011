"""What people are told of rules and results: pages of ids, derivations, comparisons."""
