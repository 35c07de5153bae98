"""Progress of rollouts: estimates on the way, a bar in terminals and notebooks, and cancelling."""

import io
import sys
from types import ModuleType

import pytest

from bgcore import Board, CubeContext, Rollout, RolloutBar, rollout, rollout_cube
from bgcore.cube_rollout import CubeRollout

START = Board.opening()


def test_every_report_has_the_result_so_far():
    told = []

    def tell(now):
        result = now.result()
        assert result.trials == now.done
        told.append((now.done, now.total, result.best.equity_cubeless, result.to_dict()))

    final = rollout(START, "31", plays=2, trials=1440, progress=tell)
    assert told[-1][:3] == (1440, 1440, final.best.equity_cubeless)
    assert told[-1][3] == final.to_dict()
    dones = [done for done, *_ in told]
    assert dones == sorted(dones)


def test_a_report_of_a_cube_decision_has_its_equities():
    told = []
    made = Rollout.of_cube_decision(START, CubeContext(), truncate=3)
    made.run(144, progress=lambda now: told.append(now.result()))
    rollout_cube(START, trials=72, truncate=3, progress=lambda now: told.append(now.result()))
    assert all(isinstance(result, CubeRollout) for result in told)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_cancelled_rollout_returns_what_is_done(jobs):
    result = rollout(START, trials=10**9, jobs=jobs, progress=lambda now: now.cancel())
    assert result.interrupted
    assert 0 < result.trials < 10**9
    assert result.trials_wanted == 10**9
    again = rollout(START, trials=result.trials)
    assert again.best.equity_cubeless == result.best.equity_cubeless


def test_a_cancelled_rollout_goes_on_later(tmp_path):
    made = Rollout(START, truncate=3)
    path = tmp_path / "r.bgr"
    result = made.run(10**9, progress=lambda now: now.cancel(), path=path, jobs=2)
    assert result.interrupted
    again = Rollout.load(path)
    assert again.trials == result.trials
    finished = again.run(result.trials + 36)
    assert not finished.interrupted
    whole = rollout(START, truncate=3, trials=result.trials + 36)
    assert finished.to_dict() == whole.to_dict()


def test_cancelling_at_the_last_report_interrupts_nothing():
    result = rollout(
        START, trials=36, truncate=2, progress=lambda now: now.cancel() if now.done == 36 else None
    )
    assert not result.interrupted


def test_results_on_the_way_tell_the_time_left():
    made = Rollout(START, truncate=3)
    seen = [(r.trials, r.seconds_left, r.games_per_second) for r in made.checkpoints(288, every=72)]
    assert [trials for trials, *_ in seen] == [72, 144, 216, 288]
    assert all(left > 0 for _, left, _ in seen[:-1])
    assert seen[-1][1] == 0
    assert all(rate > 0 for *_, rate in seen)


# -- the bar --


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "160")


def test_a_terminal_shows_trials_estimates_rate_and_time(plain):
    terminal = Terminal()
    with RolloutBar(stream=terminal) as bar:
        result = rollout(START, "31", plays=1, trials=72, truncate=3, progress=bar)
    shown = terminal.getvalue()
    assert "rolling out" in shown
    assert "72 of 72 trials" in shown
    assert f"8/5 6/5 {result.best.equity_cubeless:+.4f}" in shown
    assert "games/s, 0:00 left" in shown


def test_a_bar_of_several_rollouts_and_of_a_cube_decision(plain):
    terminal = Terminal()
    with RolloutBar("deciding", stream=terminal) as bar:
        found = rollout_cube(START, trials=36, truncate=3, progress=bar.part(1, 2))
    shown = terminal.getvalue()
    assert "deciding" in shown
    assert "2 of 2, 36 of 36 trials" in shown
    assert f"no double {found.decision.no_double:+.4f}" in shown


def test_what_is_no_terminal_stays_empty():
    file = io.StringIO()
    with RolloutBar(stream=file) as bar:
        rollout(START, trials=36, truncate=2, progress=bar)
    assert file.getvalue() == ""


def test_a_notebook_gets_one_line_that_changes(monkeypatch):
    shown = []

    class Handle:
        def update(self, content, raw):
            shown.append(content["text/plain"])

    class ZMQInteractiveShell:
        pass

    shell, display = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = ZMQInteractiveShell
    display.display = lambda content, raw, display_id: Handle()
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with RolloutBar() as bar:
        rollout(START, trials=72, truncate=2, progress=bar)
    assert shown[-1].startswith("rolling out [##############################] 72 of 72 trials")


@pytest.mark.extras
def test_ipythons_own_display_takes_what_the_bar_shows():
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    from bgcore.rollout_bar import _notebook_line

    InteractiveShell.instance()
    with capture_output() as captured:
        _notebook_line("rolling out")(0.5, "18 of 36 trials")
    texts = [output.data["text/plain"] for output in captured.outputs]
    assert texts[-1] == f"rolling out [{'#' * 15}{'.' * 15}] 18 of 36 trials"
