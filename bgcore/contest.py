"""Comparing plays: which candidates play on, looked at after fixed numbers of trials.

All candidates have the same dice. At a look the one with the best mean leads. A candidate that is
behind it by `jsd` joint standard errors is dropped; all that each of the two knows about is the
trials that both have played. A candidate that was dropped and is no longer so far behind, because
another one leads now or the leader has lost ground, is picked up: it plays what it has missed, with
its own dice, and the look is taken again.

What a look sees is the trials from 0 up to a fixed number, all of them and no others. So it does
not matter in which order, in how many pieces or where they were played, and a rollout that was
stopped finds the way of the one that was not by taking all looks again.
"""

from bgcore.block_totals import BlockTotals

__all__ = ["Contest"]


class Contest:
    """Keeps who plays on.

    Parameters
    ----------
    n_candidates : int
        The best first, by what is known before: of equals it leads.
    jsd : float
        A candidate so many joint standard errors behind is dropped.
    min_trials : int
        Before so many trials nobody is dropped.
    """

    def __init__(self, n_candidates: int, jsd: float, min_trials: int) -> None:
        self.jsd = jsd
        self.min_trials = min_trials
        #: Trials that each candidate has played, from 0.
        self.ends = [0] * n_candidates
        #: Who plays on; one alone has won.
        self.members = list(range(n_candidates))
        self.now = 0

    @property
    def is_decided(self) -> bool:
        """Whether all others are dropped."""
        return len(self.members) == 1

    def played(self, end: int) -> None:
        """Tell that the members have played the trials up to `end`."""
        self.now = end
        for member in self.members:
            self.ends[member] = end

    def look(self, totals: BlockTotals) -> list[int]:
        """Compare the candidates.

        Parameters
        ----------
        totals : BlockTotals
            With blocks kept; they hold the trials that were told to be played.

        Returns
        -------
        list of int
            Candidates that are picked up: they must play what they have missed; tell it by
            `played`, and look again. None: the members are those that play on.
        """
        # one block alone tells no error
        if self.now < max(self.min_trials, 2 * totals.block):
            return []
        here = [i for i, end in enumerate(self.ends) if end == self.now]
        leader = max(here, key=lambda i: (_total(totals, i, self.now), -i))
        close = [
            i
            for i, end in enumerate(self.ends)
            if i == leader or not self._is_far_behind(totals, leader, i, end)
        ]
        picked_up = [i for i in close if self.ends[i] < self.now]
        self.members = picked_up or close
        return picked_up

    def _is_far_behind(self, totals: BlockTotals, leader: int, other: int, end: int) -> bool:
        loss, error = totals.difference(leader, other, end)
        return loss > 0 and loss >= self.jsd * error


def _total(totals: BlockTotals, candidate: int, end: int) -> int:
    if totals.records is None:
        raise ValueError("the blocks are not kept")
    return totals.records.total(candidate, end // totals.block)
