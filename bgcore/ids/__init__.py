"""Short texts that stand for a position: GNU position IDs and XGIDs."""
