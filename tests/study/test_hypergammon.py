"""The tables of Hypergammon against slow rules, other tables, published values and played games."""

import pickle
import warnings

import hypergammon_oracle as slow
import numpy as np
import oracle
import pytest
from boards import cells_of

from bgcore import Board, Rules, bearoff, hypergammon, play_match, table_files
from bgcore._core.board import swap_boards, values
from bgcore._core.hypergammon import Solver, ranks
from bgcore.cube_model import CubeContext
from bgcore.dice import DiceStream
from bgcore.errors import BgcoreWarning, BoardError, EvaluatorError, TableError
from bgcore.hypergammon import HypergammonTable, hypergammon_table
from bgcore.players import HypergammonPlayer, legal_boards_of
from bgcore.policies import BestPlay, first_best
from bgcore.rollout import rollout

EXACT = 1e-8  # what the module promises


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder, and no table in memory."""
    monkeypatch.setenv("BGCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(table_files, "_warned", set())
    monkeypatch.setattr(hypergammon, "_loaded", {})
    return tmp_path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """The tables of one and two checkers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BGCORE_CACHE", str(tmp_path_factory.mktemp("cache")))
        return {n: HypergammonTable.build(n) for n in (1, 2)}


def drawn(n, count, seed):
    """Random boards of unfinished games with up to n checkers a side."""
    rng = np.random.default_rng(seed)
    boards = []
    while len(boards) < count:
        board = np.zeros(26, np.int8)
        own, other = rng.integers(0, 26, (2, n))
        if not own.any() or not other.any() or {25 - int(p) for p in other if p % 25} & set(own):
            continue
        for place in own[own > 0]:
            board[place] += 1
        for place in other[other > 0]:
            board[25 - place] -= 1
        boards.append(tuple(board.tolist()))
    return boards


def no_double(table, boards):
    """What the table says of sides that roll now, in the order of `slow.KINDS`."""
    cells = np.array(boards, np.int8)
    return np.column_stack(
        [table.equity(cells)]
        + [table.money(cells, kind, may_double=False) for kind in ("own", "opponent", "centred")]
        + [
            table.money(cells, "centred", jacoby=True, beavers=beavers, may_double=False)
            for beavers in (False, True)
        ]
    )


def may_double(table, board):
    cells = np.array([board], np.int8)
    found = [table.equity(cells)]
    found += [table.money(cells, kind) for kind in ("own", "opponent", "centred")]
    found += [table.money(cells, jacoby=True, beavers=beavers) for beavers in (False, True)]
    return np.array(found)[:, 0]


# ---- the solution ----


def test_the_game_of_one_checker_is_what_plain_value_iteration_finds(small):
    solved = slow.solve(1)
    found = no_double(small[1], list(solved))
    assert np.abs(found - np.array(list(solved.values()))).max() < EXACT


@pytest.mark.parametrize("n", [1, 2])
def test_every_position_is_worth_the_mean_of_its_best_plays(small, n):
    boards = drawn(n, 60, seed=n)
    for board, found in zip(boards, no_double(small[n], boards), strict=True):
        right = slow.rolled(lambda b: may_double(small[n], b), board, n)
        assert found == pytest.approx(right, abs=2 * EXACT), board


@pytest.mark.parametrize("n", [1, 2])
def test_the_chances_are_those_of_the_best_plays(small, n):
    check_chances(small[n], drawn(n, 60, seed=10 + n))


def check_chances(table, boards):
    """Compare with the mean over the rolls, where no two plays are nearly equal."""
    clear = 0
    for board in boards:
        total = np.zeros(5)
        for die1, die2 in oracle.ROLLS:
            after = np.array(sorted(oracle.boards_after(board, die1, die2) or {board}), np.int8)
            swapped = swap_boards(after)
            equities = np.sort(-table.equity(swapped))
            if len(equities) > 1 and equities[-1] - equities[-2] < 1e-6:
                break
            chances = table.probabilities(swapped[[(-table.equity(swapped)).argmax()]])[0]
            flipped = chances[[0, 3, 4, 1, 2]]
            flipped[0] = 1 - chances[0]
            total += flipped * (1 if die1 == die2 else 2) / 36
        else:
            clear += 1
            found = table.probabilities(np.array([board], np.int8))[0]
            assert found == pytest.approx(total, abs=EXACT), board
    assert clear >= len(boards) // 4


def test_equities_are_those_of_the_chances(small):
    boards = np.array(drawn(2, 200, seed=5), np.int8)
    win, wg, wbg, lg, lbg = small[2].probabilities(boards).T
    right = 2 * win - 1 + wg - lg + wbg - lbg
    assert np.abs(small[2].equity(boards) - right).max() < 1e-14  # float64 sums of five


def test_bear_offs_are_those_of_the_two_sided_table():
    # ranks below 64 hold all positions of three checkers on the points 1 to 5, which are closed
    # under play: the first block alone solves them
    solver = Solver(3, values_array := np.zeros((3276, 3276, 8)))
    solver.begin()
    while solver.sweep(0, 1) > 1e-13:
        pass
    two = bearoff.two_sided()
    compared = 0
    for own in [(1, 5), (2, 2), (5,), (5, 5), (4, 3), (1,)]:
        for other in [(1, 5), (3, 3), (5,), (5, 4), (2,)]:
            # one is off on each side: no gammons, as in the table of bear-offs
            cells = np.zeros((1, 26), np.int8)
            for point in own:
                cells[0, point] += 1
            for point in other:
                cells[0, 25 - point] -= 1
            right = two.equities(cells[0])
            (a, b), *_ = ranks(cells)
            cubeless, owned, opponent, centred = values_array[a, b, :4]
            assert cubeless == pytest.approx(right.cubeless, abs=1e-12)
            assert owned == pytest.approx(right.owned_with_double, abs=1e-12)
            assert opponent == pytest.approx(right.opponent_owned, abs=1e-12)
            assert centred == pytest.approx(right.centred_with_double, abs=1e-12)
            compared += 1
    assert compared == 30
    # with nothing off the roller wins a gammon with every roll but those that miss: three on the
    # ace point against three on the ace point end with a doublet, 6 of 36, and else by the second
    # roll of him who is first: the other one is off by then with a doublet, 6 of 36
    cells = np.zeros((1, 26), np.int8)
    cells[0, 1], cells[0, 24] = 3, -3
    (a, b), *_ = ranks(cells)
    # a doublet now wins a gammon (2); else the other side wins at once with a doublet (-1, two are
    # off); else one is left and the other side has one left too: the side on roll wins 1
    assert values_array[a, b, 0] == pytest.approx(1 / 6 * 2 + 5 / 6 * (-1 / 6 + 5 / 6), abs=1e-12)


@pytest.mark.parametrize(("n", "positions"), [(1, 601), (2, 106_552)])
def test_ranks_number_every_position_once(n, positions):
    boards = np.array(list(slow.positions(n)), np.int8)
    found = ranks(boards, men=n)
    assert len(boards) == len(np.unique(found, axis=0)) == positions
    assert found.min() == 1
    assert found.max() == hypergammon.N_RANKS[n] - 1
    n_ranks = hypergammon.N_RANKS[n]
    assert Solver(n, np.zeros((n_ranks, n_ranks, 8))).n_positions == positions


def test_finished_games_are_worth_what_they_bring(small):
    lost = np.zeros((4, 26), np.int8)
    lost[0, 25] = lost[1, 19] = lost[2, 18] = 2
    lost[3, 1] = 1
    points = np.array([-3, -3, -2, -1])
    won = swap_boards(lost)
    assert small[2].equity(lost).tolist() == points.tolist()
    assert small[2].equity(won).tolist() == (-points).tolist()
    for cube in ("own", "opponent", "centred"):
        assert small[2].money(lost, cube, may_double=False).tolist() == points.tolist()
    assert small[2].money(lost, jacoby=True).tolist() == [-1] * 4
    assert small[2].money(won, jacoby=True, may_double=False).tolist() == [1] * 4


# ---- decisions ----


def test_the_cube_is_owned_centred_or_away_in_this_order(small):
    boards = np.array(drawn(2, 300, seed=6), np.int8)
    own, centred, away = (small[2].money(boards, cube) for cube in ("own", "centred", "opponent"))
    assert (own >= centred - EXACT).all()
    assert (own >= away - EXACT).all()
    assert (small[2].money(boards, "none") == small[2].equity(boards)).all()


def test_decisions_are_made_of_the_table(small):
    for board in drawn(2, 40, seed=7):
        cells = np.array([board], np.int8)
        found = small[2].decision(board, CubeContext(jacoby=True, beavers=1))
        assert found.is_exact
        best = small[2].money(cells, jacoby=True, beavers=True)[0]
        assert found.equity_cubeful == pytest.approx(best, abs=1e-12)
        assert found.double_take == 2 * small[2].money(cells, "opponent")[0]


def test_plays_are_ranked_by_the_equity_with_the_cube(small):
    board = Board(cells_of("24:1 6:1", "24:1 5:1"), n_checkers=2)
    ranked = small[2].rank_plays(board, "51")
    assert len(ranked) == len(board.legal_plays("51"))
    assert [play.equity_cubeful for play in ranked] == sorted(
        (play.equity_cubeful for play in ranked), reverse=True
    )
    assert ranked[0].loss == 0
    for play in ranked:
        after = play.board.swapped().to_array()[np.newaxis]
        assert play.equity_cubeful == -small[2].money(after)[0]
        assert play.equity_cubeless == -small[2].equity(after)[0]
    cubeless = small[2].rank_plays(board, "51", CubeContext(has_cube=False))
    assert cubeless[0].equity_cubeful == cubeless[0].equity_cubeless


def test_what_is_no_position_of_the_game_is_refused(small):
    three = np.zeros((1, 26), np.int8)
    three[0, 6], three[0, 20] = 3, -1
    with pytest.raises(BoardError, match="up to 2 checkers a side"):
        small[2].equity(three)
    with pytest.raises(BoardError, match="the game is over"):
        small[2].decision(np.eye(1, 26, 1, dtype=np.int8)[0])
    with pytest.raises(TableError, match="not for matches"):
        small[2].decision(drawn(2, 1, seed=1)[0], CubeContext(needs=(3, 3)))
    with pytest.raises(TableError, match="no limit of the cube, here it is 64"):
        small[2].decision(drawn(2, 1, seed=1)[0], CubeContext(limit=64))
    with pytest.raises(TableError, match="centred, own, opponent or none"):
        small[2].money(three, "mine")
    with pytest.raises(TableError, match="must be 1 to 3, not 4"):
        hypergammon_table(4)


# ---- the file ----


def test_a_table_is_kept_and_read(folder):
    built = HypergammonTable.build(1)
    read = hypergammon_table(1)
    assert hypergammon_table(1) is read
    boards = np.array(list(slow.positions(1)), np.int8)
    assert (built.probabilities(boards) == read.probabilities(boards)).all()
    assert pickle.loads(pickle.dumps(read)) is read
    assert [path.name for path in folder.iterdir()] == ["hypergammon-1-1.bin"]


def test_a_damaged_table_is_made_again(folder):
    HypergammonTable.build(1)
    path = folder / "hypergammon-1-1.bin"
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + b"x")
    with pytest.warns(BgcoreWarning, match="wrong checksum"):
        hypergammon_table(1)
    assert path.read_bytes() == whole


def test_work_that_is_broken_off_goes_on_to_the_same_bits(small, folder, monkeypatch):
    calls = []

    def stop(done, total):
        calls.append(done)
        assert 0 <= done < total
        if done > 200:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(hypergammon, "_SAVE_AFTER", 0.0)
        with pytest.raises(KeyboardInterrupt):
            HypergammonTable.build(2, progress=stop)
    assert [path.name for path in folder.iterdir()] == ["hypergammon-2-1.part"]
    again = []
    table = HypergammonTable.build(2, progress=lambda done, total: again.append(done))
    assert again[0] >= calls[-1] > 0
    assert again[-1] > 900
    boards = np.array(list(slow.positions(2)), np.int8)
    assert (table.probabilities(boards) == small[2].probabilities(boards)).all()
    assert (no_double(table, boards) == no_double(small[2], boards)).all()
    assert [path.name for path in folder.iterdir()] == ["hypergammon-2-1.bin"]


def test_without_a_folder_the_table_stays_in_memory(folder, monkeypatch):
    blocked = folder / "file"
    blocked.write_text("")
    monkeypatch.setenv("BGCORE_CACHE", str(blocked))
    with pytest.warns(BgcoreWarning, match="cannot be used"):
        table = HypergammonTable.build(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TableError, match="in memory alone"):
            pickle.dumps(table)


# ---- players ----


def test_the_table_never_loses_to_itself_with_other_plays(small, monkeypatch):
    """In money games the exact player's plays and doubles lose nothing by its own table."""
    n = 2
    rules = Rules.money(layout=Board(cells_of("24:1 23:1", "24:1 23:1"), n_checkers=n))
    monkeypatch.setitem(hypergammon._loaded, n, small[n])
    player = HypergammonPlayer(n)
    results = play_match(player, "random-cube", rules=rules, money=True, games=300, seed=4)
    assert results.points[0] > 2 * results.points[1]
    assert results.games == 300


def test_rollouts_agree_with_the_table(small):
    board = Board(cells_of("24:1 13:1", "20:1 7:1"), n_checkers=2)
    best = rollout(
        board, evaluator=small[2], policy=BestPlay(small[2]), luck="none", trials=1296, seed=5
    ).best
    right = small[2].probabilities([board])[0]
    found = (best.win, best.win_gammon, best.win_backgammon, best.lose_gammon, best.lose_backgammon)
    assert (np.abs(found - right) < 4 * np.array(best.standard_errors[:5])).all()


def test_other_rules_than_those_of_the_table_are_refused():
    player = HypergammonPlayer(2)
    two = Board(cells_of("24:1 23:1", "24:1 23:1"), n_checkers=2)
    for rules, words in (
        (Rules.casual(), "15 checkers a side"),
        (Rules.casual(layout=two, payoff="single"), "gammons that do not count"),
        (Rules.casual(layout=two, any_number=True), "house rules"),
    ):
        with pytest.raises(EvaluatorError, match=words):
            play_match(player, "pips", rules=rules, games=2)


# ---- three checkers: the table is made first, which takes minutes ----


@pytest.fixture(scope="module")
def full():
    return hypergammon_table(3)


@pytest.mark.slow
def test_every_position_of_three_checkers_is_worth_the_mean_of_its_best_plays(full):
    boards = drawn(3, 200, seed=3)
    for board, found in zip(boards, no_double(full, boards), strict=True):
        right = slow.rolled(lambda b: may_double(full, b), board, 3)
        assert found == pytest.approx(right, abs=2 * EXACT), board
    check_chances(full, drawn(3, 100, seed=13))


@pytest.mark.slow
def test_the_table_has_the_equities_that_gnubg_publishes(full):
    # GNU Backgammon's manual, section Hypergammon: the position ADAAAQAkIAAAAA
    board = Board(cells_of("24:1 17:1 15:1", "23:1 13:2"), n_checkers=3)
    cells = board.to_array()[np.newaxis]
    assert full.money(cells, "own", may_double=False)[0] == pytest.approx(-0.0230, abs=1.2e-3)
    assert full.money(cells, may_double=False)[0] == pytest.approx(-0.2310, abs=1.2e-3)
    assert full.money(cells, jacoby=True, may_double=False)[0] == pytest.approx(-0.2186, abs=1.2e-3)
    assert full.money(cells, "opponent")[0] == pytest.approx(-0.3548, abs=1.2e-3)
    right = [0.456, 0.244, 0.014, 0.318, 0.019]
    assert full.probabilities(cells)[0] == pytest.approx(right, abs=5e-4)
    assert full.decision(board, CubeContext(beavers=1)).text == "no double, beaver"


@pytest.mark.slow
@pytest.mark.parametrize("has_cube", [False, True])
def test_games_played_by_the_table_win_what_it_says(full, has_cube):
    boards = np.array(drawn(3, 20, seed=21), np.int8)
    n = 4000
    points = played(full, np.repeat(boards, n, axis=0), has_cube, seed=9).reshape(20, n)
    right = full.money(boards) if has_cube else full.equity(boards)
    errors = points.std(axis=1, ddof=1) / n**0.5
    certain = errors == 0  # a double that is passed
    assert points.mean(axis=1)[certain] == pytest.approx(right[certain])
    assert certain.sum() < 3
    z = ((points.mean(axis=1) - right) / np.where(certain, np.inf, errors))[~certain]
    assert np.abs(z).max() < 4  # one of 800 such tests of 20 fails by chance
    assert 5.3 < (z**2).sum() < 45.3  # chi-square of 19 or 20: 0.1 % on each side
    assert abs(z.mean()) * len(z) ** 0.5 < 3.5


def played(table, boards, has_cube, seed):
    """Play a game from each board, both sides by the table; the points of the side on roll."""
    stream = DiceStream(seed, stratified=False)
    n = len(boards)
    points, cubes = np.zeros(n), np.ones(n)
    owners = np.zeros(n, np.int64)  # seen by the side on roll
    signs = np.ones(n)
    alive = np.arange(n)
    for ply in range(1000):
        now = boards[alive]
        if has_cube:
            held = np.choose(
                owners[alive] + 1,
                [table.money(now, p, may_double=False) for p in ("opponent", "centred", "own")],
            )
            taken = 2 * table.money(now, "opponent")
            doubles = (owners[alive] >= 0) & (np.minimum(taken, 1) > held)
            passed = doubles & (taken > 1)
            points[alive[passed]] = (signs * cubes)[alive[passed]]
            cubes[alive[doubles]] *= 2
            owners[alive[doubles]] = -1
            alive = alive[~passed]
            now = boards[alive]
        dice = stream.rolls_at(alive, np.full(len(alive), ply))
        plays, offsets = legal_boards_of(now, dice, Rules.casual())
        counts = np.diff(offsets)
        if has_cube:
            worth = table.money_after(plays, np.repeat(owners[alive], counts))
        else:
            worth = -table.equity(swap_boards(plays))
        after = now.copy()
        some = counts > 0
        best = first_best(np.rint(worth * 2.0**30).astype(np.int64), counts[some])
        after[some] = plays[offsets[:-1][some] + best]
        won = values(after, n_checkers=3)
        over = won != 0
        points[alive[over]] = (signs * cubes)[alive[over]] * won[over]
        boards[alive] = swap_boards(after)
        owners[alive] *= -1
        signs[alive] *= -1
        alive = alive[~over]
        if not len(alive):
            return points
    raise AssertionError("a game does not end")
