"""Landing place of the hot modules built for x86-64-v3; `bgcore._core` loads them."""
