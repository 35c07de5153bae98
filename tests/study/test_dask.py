"""A rollout on a Dask cluster of several worker processes, one of which is killed."""

import os
import signal
import threading
import time

import pytest

from bgcore import Board, Rollout

pytestmark = pytest.mark.dask


@pytest.fixture
def client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def new():
    return Rollout(Board.opening(), "31", plays=2, seed=9)


def test_a_cluster_gives_the_same_bits_though_a_worker_is_killed(client):
    here = new().run(2_592, jobs=2)

    def kill_one():
        time.sleep(1)
        victims = client.run(os.getpid)
        os.kill(next(iter(victims.values())), signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    there = new()
    result = there.run(2_592, executor=client.get_executor(), jobs=3)
    killer.join()
    assert there.trials == 2_592
    assert result.to_dict() == here.to_dict()
    assert result.totals.to_dict() == here.totals.to_dict()
