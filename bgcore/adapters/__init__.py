"""Adapters to other engines. Each needs its own package, from the extra `peers`."""
