"""Boards as numbers."""
