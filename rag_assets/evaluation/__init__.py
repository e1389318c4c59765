"""Whether a release may be served: cases, metrics, scorers, the gate, and where a lost answer was lost."""
