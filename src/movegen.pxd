"""Legal plays. The rules, the order of results and the method: at the top of movegen.pyx."""
from bgcore._core.types cimport board_t, int8_t

# Write the distinct boards after every legal play, seen by the mover, and return their number
# (0: no legal play). `out` holds PLAYS_BUFFER boards. The dice may come in either order.
cdef int generate_boards(const board_t *b, int die1, int die2, board_t *out) noexcept nogil

# The same with only the 26 public cells of each board, packed; `out` holds PLAYS_BUFFER * 26 bytes.
cdef int generate_public(const board_t *b, int die1, int die2, int8_t *out) noexcept nogil

# Find the steps of a legal play from the board before and after it: up to four triples
# (from, to, hit), to = 0 for off. Returns their number; 0 if there is no such play.
cdef int find_steps(const board_t *before, const board_t *after, int die1, int die2,
                    int8_t *steps) noexcept nogil
