"""Results of rollouts: text, columns, blocks, first rolls and pictures."""

import json

import numpy as np
import pytest

from bgcore import (
    Board,
    CubeContext,
    Rollout,
    StopRules,
    block_columns,
    rollout,
    rollout_columns,
    rollout_cube,
    rollout_text,
    save_rollout_picture,
)
from bgcore.errors import RolloutError

START = Board.opening()
SCORE = CubeContext(needs=(3, 5))


@pytest.fixture(scope="module")
def plays():
    return rollout(START, "31", plays=3, trials=360, truncate=5, keep_blocks=True)


@pytest.fixture(scope="module")
def decision():
    return rollout_cube(START, SCORE, trials=360, truncate=5, keep_blocks=True)


# -- text --


def test_text_tells_what_players_look_for(plays):
    lines = rollout_text(plays).splitlines()
    assert lines[0] == "360 trials of 5 plies, seed 0, luck taken out by net, 0-ply"
    best, second = plays.candidates[:2]
    assert lines[1].startswith(f" 1. {best.play}")
    assert f"{best.equity_cubeless:+.4f}" in lines[1]
    low = best.equity_cubeless - 1.96 * best.equity_se
    assert f"(95 %: {low:+.4f} to " in lines[1]
    assert f"{100 * best.win:.2f} % (G {100 * best.win_gammon:.2f}" in lines[2]
    assert f"{100 * (1 - best.win):.2f} % (G {100 * best.lose_gammon:.2f}" in lines[3]
    assert f"{-second.loss:+.4f}" in lines[4]
    assert f"JSD {second.loss / second.loss_se:.1f}" in lines[4]
    assert len(lines) == 1 + 3 * 3


def test_text_of_a_match_and_of_dropped_plays():
    made = Rollout(START, "64", plays=6, truncate=3, cube=SCORE)
    result = made.run(2880, stop=StopRules(jsd=2, min_trials=72, check_every=72))
    assert result.candidates[-1].trials < result.trials < 2880
    text = rollout_text(result)
    assert f"{result.trials:,} of 2,880 trials" in text
    assert f"dropped after {result.candidates[-1].trials:,} trials" in text
    assert f"Match  {100 * result.best.mwc:.2f}" in text
    assert f"Cubeless  {result.best.equity_cubeless:+.4f}" in text


def test_text_of_a_cube_decision(decision):
    lines = rollout_text(decision).splitlines()
    found = decision.decision
    by_name = {line.split("  ")[0]: line for line in lines}
    assert f"{found.no_double:+.4f}" in by_name["No double"]
    assert f"{found.double_take:+.4f}" in by_name["Double, take"]
    assert f"({found.double_take - found.no_double:+.4f})" in by_name["Double, take"]
    assert f"{100 * found.mwc['no_double']:.2f} %" in by_name["No double"]
    assert any(line.startswith("Proper cube action: no double, take") for line in lines)


def test_text_of_one_trial_and_of_an_owned_cube():
    text = rollout_text(rollout(START, trials=1, truncate=1))
    assert "\N{PLUS-MINUS SIGN}?" in text
    assert "95 %" not in text
    owned = rollout_cube(START, CubeContext(cube=2, owner="own"), trials=36, truncate=2)
    assert "Redouble, take" in rollout_text(owned)
    beavers = rollout_cube(START, CubeContext(beavers=1), trials=36, truncate=2)
    assert "Double, beaver" in rollout_text(beavers)


# -- columns --


def test_columns_have_one_row_for_each_candidate(plays, decision):
    columns = rollout_columns([plays, decision])
    assert {len(values) for values in columns.values()} == {5}
    assert columns["rollout"].tolist() == [0, 0, 0, 1, 1]
    assert columns["rank"].tolist() == [1, 2, 3, 1, 2]
    assert columns["play"][:2] == [str(candidate.play) for candidate in plays.candidates[:2]]
    assert columns["action"] == ["", "", "", "no double", "double, take"]
    assert columns["die1"].tolist() == [3, 3, 3, 0, 0]
    assert columns["win"].tolist()[:3] == [candidate.win for candidate in plays.candidates]
    assert columns["equity_cubeful"][3] == decision.decision.no_double
    assert np.isnan(columns["equity_cubeful"][:3]).all()
    assert columns["verdict"][4] == decision.decision.text
    assert columns["loss_se"][1] == plays.candidates[1].loss_se
    assert rollout_columns([])["win"].shape == (0,)


def test_blocks_add_up_to_the_means(plays, decision):
    columns = block_columns(plays)
    assert {len(values) for values in columns.values()} == {30}
    for rank, candidate in enumerate(plays.candidates, start=1):
        mine = columns["rank"] == rank
        assert columns["win"][mine].mean() == pytest.approx(candidate.win)
        assert columns["equity_cubeless"][mine].mean() == pytest.approx(candidate.equity_cubeless)
        assert columns["first"][mine].tolist() == list(range(0, 360, 36))
    columns = block_columns(decision)
    taken = [action == "double, take" for action in columns["action"]]
    assert columns["utility"][taken].mean() == pytest.approx(decision.double_take.mwc)


def test_blocks_that_were_not_kept_are_not_told():
    result = rollout(START, trials=72, truncate=2)
    with pytest.raises(RolloutError, match="keep_blocks"):
        block_columns(result)
    with pytest.raises(RolloutError, match="keep_blocks"):
        result.plot("convergence")


def test_a_result_is_json(plays, decision):
    for result in (plays, decision):
        assert json.loads(json.dumps(result.to_dict()))["trials"] == 360


# -- first rolls --


@pytest.mark.parametrize("luck", ["none", "net", "player"])
@pytest.mark.parametrize("cube", [None, CubeContext(cube=2, owner="opponent"), SCORE])
def test_first_rolls_add_up_to_the_equity(luck, cube):
    result = rollout(START, trials=360, luck=luck, cube=cube, truncate=7)
    found = result.by_first_roll()
    wanted = result.best.equity_cubeless if cube is None else result.best.equity_cubeful
    assert found.shape == (6, 6)
    assert found.mean() == pytest.approx(wanted, abs=1e-7)
    # 1-1 is worth more than 2-1 in the opening, by far
    assert found[0, 0] > found[1, 0]


def test_a_first_roll_is_worth_what_a_rollout_of_it_finds():
    result = rollout(START, trials=36 * 144, truncate=9)
    found = result.by_first_roll()
    for die1, die2 in ((3, 1), (6, 5), (4, 1)):
        play = rollout(START, f"{die1}{die2}", plays=1, trials=1296, truncate=8)
        mine = (found[die1 - 1, die2 - 1] + found[die2 - 1, die1 - 1]) / 2
        single = result.best.equity_se * result.trials**0.5
        assert mine == pytest.approx(
            play.best.equity_cubeless, abs=4 * (single / 288**0.5 + play.best.equity_se)
        )


def test_after_a_play_the_first_roll_is_the_opponents(plays):
    found = plays.by_first_roll(2)
    assert found.mean() == pytest.approx(plays.candidates[1].equity_cubeless, abs=1e-7)
    # the opponent's double sixes hurt
    assert found[5, 5] < found.mean()


def test_an_opening_has_no_doubles():
    found = rollout(START, opening=True, trials=300, truncate=3).by_first_roll()
    assert np.isnan(np.diag(found)).all()
    assert np.isfinite(found).sum() == 30


def test_first_rolls_of_a_cube_decision(decision):
    assert decision.by_first_roll().mean() == pytest.approx(decision.decision.no_double, abs=1e-6)
    found = decision.by_first_roll("double, take")
    assert found.mean() == pytest.approx(decision.decision.double_take, abs=1e-6)


def test_where_nobody_rolls_there_are_no_first_rolls(plays, decision):
    board = Board([0, 3] + [0] * 22 + [-3, 0])
    with pytest.raises(RolloutError, match="before the first roll"):
        rollout(board, trials=36).by_first_roll()
    for rank in (0, 4, "1"):
        with pytest.raises(RolloutError, match="rank"):
            plays.by_first_roll(rank)
    with pytest.raises(RolloutError, match="no action 'pass'"):
        decision.by_first_roll("pass")


def test_first_rolls_are_the_same_from_a_file(tmp_path):
    made = Rollout(START, seed=4, truncate=3)
    made.run(72)
    made.save(tmp_path / "r.bgr")
    again = Rollout.load(tmp_path / "r.bgr")
    assert (again.result().by_first_roll() == made.result().by_first_roll()).all()


# -- convergence --


def test_convergence_ends_at_the_result():
    result = rollout(START, trials=2880, truncate=3, keep_blocks=True)
    trials, means, errors = result.totals.convergence(0)
    assert trials[0] == 72
    assert trials[-1] == 2880
    assert means[-1] == pytest.approx(result.best.equity_cubeless, abs=1e-9)
    assert errors[-1] == pytest.approx(result.best.equity_se, rel=1e-9)
    part = rollout(START, trials=1296, truncate=3)
    at = trials.tolist().index(1296)
    assert means[at] == pytest.approx(part.best.equity_cubeless, abs=1e-9)
    assert errors[at] == pytest.approx(part.best.equity_se, rel=1e-9)


def test_one_block_shows_no_convergence():
    with pytest.raises(RolloutError, match="two whole blocks"):
        rollout(START, trials=36, truncate=2, keep_blocks=True).plot()


# -- optional packages --


@pytest.mark.extras
def test_columns_go_into_data_frames_as_they_are(plays, decision):
    import pandas
    import polars
    import pyarrow

    columns = rollout_columns([plays, decision])
    assert pandas.DataFrame(columns).shape == (5, len(columns))
    assert polars.DataFrame(columns).shape == (5, len(columns))
    assert pyarrow.table(columns).num_rows == 5
    assert polars.DataFrame(block_columns(plays))["win"].len() == 30


@pytest.fixture
def pyplot():
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


@pytest.mark.extras
def test_convergence_is_drawn_with_its_band(pyplot, plays, decision, tmp_path):
    axes = plays.plot()
    assert len(axes.lines) == len(axes.collections) == 3
    x, y = axes.lines[0].get_data()
    assert x[-1] == 360
    assert y[-1] == pytest.approx(plays.best.equity_cubeless)
    band = axes.collections[0].get_paths()[0].get_extents()
    assert band.y0 < y[-1] < band.y1
    axes.figure.savefig(tmp_path / "x.png")
    assert (tmp_path / "x.png").stat().st_size > 1000
    axes = decision.plot()
    assert axes.lines[0].get_ydata()[-1] == pytest.approx(decision.decision.no_double)


@pytest.mark.extras
def test_outcomes_are_drawn_as_shares_of_all_games(pyplot, plays, decision):
    for result, n in ((plays, 3), (decision, 2)):
        axes = result.plot("outcomes")
        heights = [bar.get_height() for bar in axes.patches]
        assert len(heights) == 6 * n
        assert sum(heights) == pytest.approx(100 * n)
    won = heights[3] + heights[4] + heights[5]
    assert won == pytest.approx(100 * decision.no_double.win)


@pytest.mark.extras
def test_the_map_of_first_rolls_is_drawn_where_it_is_wanted(pyplot, plays, decision):
    _, (left, right) = pyplot.subplots(1, 2)
    assert plays.plot("first roll", rank=2, ax=left) is left
    assert decision.plot("first roll", action="double, take", ax=right) is right
    drawn = left.images[0].get_array()
    assert np.allclose(drawn, plays.by_first_roll(2))
    assert len(left.texts) == 36
    assert left.get_title() == str(plays.candidates[1].play)


@pytest.mark.extras
def test_an_unknown_picture_is_refused(pyplot, plays, decision):
    for result in (plays, decision):
        with pytest.raises(RolloutError, match="no picture 'pie'"):
            result.plot("pie")


@pytest.mark.extras
def test_a_picture_says_why_something_is_not_in_it(tmp_path):
    path = tmp_path / "x.svg"
    save_rollout_picture(rollout(START, trials=36, truncate=2), path)
    assert "the blocks were not kept" in path.read_text(encoding="utf-8")
    # doubled and passed
    cells = [0, 2, 2, *[0] * 9, -2, *[0] * 13]
    won = rollout(Board(cells), trials=72, cube=CubeContext(), keep_blocks=True, luck="none")
    save_rollout_picture(won, path)
    told = path.read_text(encoding="utf-8")
    assert "the trials ended before the first roll" in told
    assert "were not kept" not in told
