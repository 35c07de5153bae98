"""bgcore"""
