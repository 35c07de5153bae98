"""Processes of our own for work that needs Python."""

import pickle
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from bgcore.errors import BgcoreError

__all__ = ["process_pool"]


@contextmanager
def process_pool(jobs: int, sent: object, error: type[BgcoreError]) -> Iterator[Executor]:
    """Start processes and end them, with what nobody has begun left out if anything goes wrong.

    Ctrl-C reaches this process alone, which answers for all of them.

    Parameters
    ----------
    jobs : int
        How many.
    sent : object
        What each piece of work is given, to be refused at once if it cannot be pickled.
    error : type of BgcoreError
        What is raised if it cannot, or if a process is ended from outside.
    """
    try:
        pickle.dumps(sent)
    except Exception as reason:
        raise error(f"players of several jobs must be picklable: {reason}") from reason
    with _Pool(
        # a shell sends Ctrl-C to all processes
        jobs,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        try:
            yield pool
        except BrokenProcessPool:
            raise error(
                "a process was ended from outside, perhaps for want of memory; fewer jobs need less"
            ) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class _Pool(ProcessPoolExecutor):
    """Starts its processes while work is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        with _held_back_ctrl_c():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _held_back_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait; processes that are started meanwhile never get it, not even at first."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
