"""Players: what they choose, that chance is fair, and that what users' players do is checked."""

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from boards import cells_of

import bgcore
from bgcore._core import movegen
from bgcore.arena import play_match
from bgcore.board import Board
from bgcore.cube_decision import cube_decision
from bgcore.dice import DiceStream
from bgcore.errors import EvaluatorError, IllegalPlayError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator
from bgcore.game_state import GameState
from bgcore.players import (
    DROP,
    PLAYER_NAMES,
    TAKE,
    TURN_BACK,
    EvaluatorPlayer,
    PipsPlayer,
    PolicyPlayer,
    RandomPlayer,
    ScriptedPlayer,
    Turns,
    _bounded,
    player,
)
from bgcore.policies import BestPlay
from bgcore.rules import Rules

START = cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5")
ROLLS = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], np.uint8)
DANCE = cells_of("bar:1 6:14", "6:2 5:2 4:2 3:2 2:2 1:2 24:3")


class PlainNet:
    """The shipped net seen through nothing but `evaluate`, as a user's own model would be."""

    def evaluate(self, boards):
        return NetEvaluator("fast").evaluate(boards)


class Says:
    """An evaluator that gives every board the same probabilities."""

    def __init__(self, *five):
        self.five = five

    def evaluate(self, boards):
        return np.array([self.five] * len(boards), np.float32)


def turns_at(board, n=1, *, rules=None, seed=0, purpose=0, **changes):
    """Turns on n copies of a board, with random bits as the arena gives them."""
    bits = DiceStream(seed, stratified=False).bits_at(range(n), np.zeros(n, int), purpose)
    turns = Turns.plain(np.array([board] * n, np.int8), rules=rules or Rules.money(), bits=bits)
    values = {name: getattr(turns, name) for name in Turns.__slots__}
    for name, value in changes.items():
        values[name] = value if name == "returns" else np.array([value] * n, values[name].dtype)
    return Turns(**values)


def answers(one, turns, *, may_return=False):
    return one.choose_answers(turns, np.full(len(turns), may_return))


# ---- plays ----


def test_a_model_with_evaluate_only_plays_like_the_core():
    turns = turns_at(START, 21)
    inside = EvaluatorPlayer(NetEvaluator("fast")).choose_plays(turns, ROLLS)
    assert (inside == EvaluatorPlayer(PlainNet()).choose_plays(turns, ROLLS)).all()
    assert (inside == PolicyPlayer(BestPlay(NetEvaluator("fast"))).choose_plays(turns, ROLLS)).all()


# those that need other packages are tested in test_engines.py
@pytest.mark.parametrize("name", ["random", "random-cube", "pips", "net", "fast", "strong"])
def test_who_cannot_play_leaves_the_board_as_it_is(name):
    turns = turns_at(DANCE, 2)
    assert (player(name).choose_plays(turns, ROLLS[:2]) == turns.boards).all()
    mixed = Turns.plain(np.array([DANCE, START, DANCE], np.int8))
    played = player(name).choose_plays(mixed, ROLLS[[0, 1, 2]])
    assert (played != mixed.boards).any(axis=1).tolist() == [False, True, False]


def test_only_games_that_end_the_match_are_played_for_the_win():
    needs, cubes = [(1, 1), (1, 2), (2, 2), (2, 3), (0, 0)], [1, 1, 2, 4, 8]
    turns = Turns.plain(np.array([START] * 5, np.int8))
    turns = replace(turns, needs=np.array(needs), cubes=np.array(cubes))
    assert turns.is_decider.tolist() == [True, False, True, True, False]


class SixPoint:
    """The more checkers the mover has on its 6-point, the more wins and the fewer gammons."""

    def evaluate(self, boards):
        n = (-boards[:, 19]).clip(0)  # of the side that has just played
        five = np.zeros((len(boards), 5), np.float32)
        five[:, 0] = 0.5 - 0.01 * n
        five[:, 3] = 0.5 - 0.03 * n
        return five


def test_a_model_with_evaluate_only_plays_deciders_for_the_win():
    dice = np.array([[6, 1]], np.uint8)
    board = np.array([START], np.int8)
    on_six = [play[6] for play in movegen.legal_boards(board[0], 6, 1)]
    one = EvaluatorPlayer(SixPoint())
    assert one.choose_plays(Turns.plain(board, needs=1), dice)[0, 6] == max(on_six)
    assert one.choose_plays(Turns.plain(board), dice)[0, 6] == min(on_six)


def test_a_model_with_evaluate_only_takes_the_win():
    turns = turns_at(cells_of("1:2 off:13", "1:15"))
    chosen = EvaluatorPlayer(PlainNet()).choose_plays(turns, np.array([[1, 2]], np.uint8))
    assert (chosen[0] <= 0).all()


def test_random_plays_reach_every_board_equally_often():
    plays = [tuple(row) for row in movegen.legal_boards(np.array(START, np.int8), 2, 1).tolist()]
    n = 400 * len(plays)
    dice = np.array([[2, 1]] * n, np.uint8)
    chosen = RandomPlayer().choose_plays(turns_at(START, n, seed=3), dice).tolist()
    counts = np.array([chosen.count(list(play)) for play in plays])
    assert counts.sum() == n
    # chi-square with len(plays) - 1 = 14 degrees of freedom: above 36 in one of a thousand
    assert ((counts - 400) ** 2 / 400).sum() < 36
    again = RandomPlayer().choose_plays(turns_at(START, n, seed=3), dice)
    assert again.tolist() == chosen
    other = RandomPlayer().choose_plays(turns_at(START, n, seed=4), dice)
    assert other.tolist() != chosen


def test_numbers_below_a_bound_are_drawn_without_bias():
    n = 3 * 2**30  # a third of the 32-bit draws would be a bias if they were kept
    bits = DiceStream(1, stratified=False).bits_at(range(20_000), np.zeros(20_000, int))
    drawn = _bounded(bits, np.full(20_000, n))
    assert drawn.min() >= 0
    assert drawn.max() < n
    # a plain product would give every third number twice as often
    counts = np.bincount(drawn % 3, minlength=3)
    assert abs(counts - 20_000 / 3).max() < 5 * np.sqrt(20_000 * 2 / 9)
    assert _bounded(np.array([0, 2**64 - 1], np.uint64), np.array([7, 7])).tolist()[1] == 6
    assert _bounded(bits, np.ones(20_000, int)).max() == 0


def test_pips_plays_for_the_lead_and_then_for_few_blots():
    # 6-5: no hit; both ways of running leave the same pips, one of them fewer blots
    turns = turns_at(START, 21)
    played = PipsPlayer().choose_plays(turns, ROLLS)
    for board, (die1, die2), after in zip(turns.boards, ROLLS, played, strict=True):
        plays = movegen.legal_boards(board, die1, die2).astype(int)
        lead = -(np.minimum(plays, 0) * (25 - np.arange(26))).sum(axis=1)
        lead -= (np.maximum(plays, 0) * np.arange(26)).sum(axis=1)
        blots = (plays[:, 1:25] == 1).sum(axis=1)
        best = min(range(len(plays)), key=lambda i: (-lead[i], blots[i], i))
        assert after.tolist() == plays[best].tolist()


# ---- the cube ----


def test_random_never_doubles_and_always_takes():
    turns = turns_at(START, 50)
    assert not player("random").choose_doubles(turns).any()
    assert (answers(player("random"), turns, may_return=True) == TAKE).all()


def test_random_cube_does_each_legal_thing_equally_often():
    one, n = player("random-cube"), 6_000
    doubles = one.choose_doubles(turns_at(START, n, purpose=1)).sum()
    assert abs(doubles - n / 2) < 4 * np.sqrt(n / 4)
    cases = [
        ({}, True, (DROP, TAKE, TURN_BACK)),
        ({}, False, (DROP, TAKE)),
        ({"returns": 1, "rules": Rules.money(beaver_drop=False)}, True, (TAKE, TURN_BACK)),
        ({"returns": 1, "rules": Rules.money(beaver_drop=False)}, False, (TAKE,)),
    ]
    for changes, may_return, legal in cases:
        turns = turns_at(START, n, purpose=2, **changes)
        given = answers(one, turns, may_return=may_return)
        assert set(given.tolist()) == set(legal)
        for answer in legal:
            share = 1 / len(legal)
            error = np.sqrt(n * share * (1 - share))
            assert abs((given == answer).sum() - n * share) <= 4 * error


# the opponent has 100 pips; own pips and what the rule of 8, 9 and 12 per cent says
@pytest.mark.parametrize(
    ("own", "doubles", "redoubles", "takes"),
    [(100, False, False, True), (93, False, False, True), (92, True, False, True),
     (91, True, True, True), (90, True, True, True), (89, True, True, False),
     (60, True, True, False)],
)  # fmt: skip
def test_pips_doubles_by_its_lead(own, doubles, redoubles, takes):
    rest, points = own, []
    for left in range(14, -1, -1):  # fifteen checkers with so many pips
        pips = min(6, rest - left)
        points.append(pips)
        rest -= pips
    own_text = " ".join(f"{p}:{points.count(p)}" for p in sorted(set(points)))
    if rest:
        points[0] += rest
        own_text = " ".join(f"{p}:{points.count(p)}" for p in sorted(set(points)))
    board = cells_of(own_text, "10:5 6:5 4:5")
    assert sum(i * n for i, n in enumerate(board) if n > 0) == own
    one = player("pips")
    assert one.choose_doubles(turns_at(board)).tolist() == [doubles]
    assert one.choose_doubles(turns_at(board, owners=1, cubes=2)).tolist() == [redoubles]
    assert (answers(one, turns_at(board, offers=2)) == TAKE).tolist() == [takes]
    assert not one.choose_doubles(turns_at(board, cubes=4, needs=(3, 5))).any()


@pytest.mark.parametrize(
    ("win", "doubles", "redoubles", "answer"),
    [
        (0.40, False, False, TURN_BACK),
        (0.50, False, False, TURN_BACK),
        (0.60, False, False, TAKE),
        (0.68, False, False, TAKE),
        (0.76, True, True, TAKE),
        (0.82, True, True, DROP),
        (0.99, True, True, DROP),
    ],
)
def test_the_cube_without_gammons_is_turned_in_its_window(win, doubles, redoubles, answer):
    # take point without gammons: 0.5 / (2 + 1/3) = 0.214; a beaver is right below 4/7
    one = EvaluatorPlayer(Says(win, 0, 0, 0, 0))
    assert one.choose_doubles(turns_at(START)).tolist() == [doubles]
    assert one.choose_doubles(turns_at(START, owners=1, cubes=2)).tolist() == [redoubles]
    assert answers(one, turns_at(START, offers=2), may_return=True).tolist() == [answer]


def test_gammons_count_for_the_cube():
    gammonish = EvaluatorPlayer(Says(0.75, 0.45, 0, 0, 0))
    assert answers(gammonish, turns_at(START, offers=2)).tolist() == [DROP]
    # too good: 2 * 0.9 - 1 + 0.6 > 1, unless gammons wait for the cube
    strong = EvaluatorPlayer(Says(0.9, 0.6, 0, 0, 0))
    assert not strong.choose_doubles(turns_at(START, rules=Rules.money(jacoby=False))).any()
    assert strong.choose_doubles(turns_at(START)).all()
    assert not strong.choose_doubles(turns_at(START, owners=1, cubes=2)).any()
    single = Rules.money(payoff="single")
    assert strong.choose_doubles(turns_at(START, rules=single)).all()


def test_the_doubler_answers_a_beaver():
    rules = Rules.money(beavers=2)
    for win, answer in ((0.1, DROP), (0.5, TAKE), (0.8, TURN_BACK)):
        turns = turns_at(START, returns=1, offers=4, rules=rules)
        one = EvaluatorPlayer(Says(win, 0, 0, 0, 0))
        assert answers(one, turns, may_return=True).tolist() == [answer]
    forced = turns_at(START, returns=1, offers=4, rules=Rules.money(beaver_drop=False))
    assert answers(EvaluatorPlayer(Says(0.1, 0, 0, 0, 0)), forced).tolist() == [TAKE]


def test_in_a_match_nothing_is_given_away():
    match = Rules.match()
    strong, weak = EvaluatorPlayer(Says(0.78, 0, 0, 0, 0)), EvaluatorPlayer(Says(0.2, 0, 0, 0, 0))
    # the cube is dead for the decider
    assert not strong.choose_doubles(turns_at(START, rules=match, needs=(2, 5), cubes=2)).any()
    assert strong.choose_doubles(turns_at(START, rules=match, needs=(3, 5), cubes=2)).all()
    # the opponent wins the match anyway: double at once, never drop
    assert weak.choose_doubles(turns_at(START, rules=match, needs=(3, 1))).all()
    assert not weak.choose_doubles(turns_at(START, rules=match, needs=(3, 2))).any()
    sure = EvaluatorPlayer(Says(0.99, 0, 0, 0, 0))
    assert answers(sure, turns_at(START, rules=match, needs=(5, 1), offers=2)).tolist() == [TAKE]
    assert answers(sure, turns_at(START, rules=match, needs=(5, 2), offers=2)).tolist() == [DROP]


CONTACT = (Path(__file__).parents[1] / "data" / "positions_contact.txt").read_text().split()


@pytest.mark.parametrize("length", [0, 5])
def test_the_cube_is_handled_as_single_decisions_say(length):
    """Batches with all kinds of cubes and scores, against `cube_decision` one by one."""
    rng = np.random.default_rng(length)
    ids = [line for line in CONTACT if len(line) == 14][:400]
    rules = Rules.match() if length else Rules.money(beavers=1)
    states = []
    for text in ids:
        scores = tuple(rng.integers(0, length or 1, 2).tolist())
        owner = [None, 0][int(rng.integers(2))]
        cube = 2 ** int(rng.integers(owner is not None, 4))
        board = Board.from_position_id(text)
        states.append(
            GameState.at(board, cube=cube, cube_owner=owner, rules=rules, length=length,
                         scores=scores)
        )  # fmt: skip
    n = len(states)
    assert n > 100
    needs = [[state.needs[0] or 0, state.needs[1] or 0] for state in states]
    cubes = np.array([state.cube.value for state in states])
    turns = Turns.plain(np.array([state.board.to_list() for state in states], np.int8))
    values = {name: getattr(turns, name) for name in Turns.__slots__}
    values |= {
        "rules": rules,
        "cubes": cubes,
        "owners": np.array([int(state.cube.owner is not None) for state in states], np.int8),
        "needs": np.array(needs),
    }
    one = player("net")
    doubles = one.choose_doubles(Turns(**values))
    values |= {"owners": -values["owners"], "offers": 2 * cubes, "needs": values["needs"][:, ::-1]}
    given = one.choose_answers(Turns(**values), np.full(n, length == 0))
    kinds = set()
    for state, double, answer in zip(states, doubles.tolist(), given.tolist(), strict=True):
        decision = cube_decision(state)
        margin = min(decision.double_take, 1) - decision.no_double
        if abs(margin) > 1e-6:
            automatic = decision.is_automatic
            assert double == (automatic or (margin > 0 and not state.is_dead_cube))
        if decision.double_take > 1 + 1e-6:
            assert answer == DROP
        elif decision.double_take < -1e-6 and not length:
            assert answer == TURN_BACK
        elif decision.double_take < 1 - 1e-6:
            assert answer == TAKE
        kinds |= {(double, answer)}
    assert len(kinds) >= 4


# ---- making players ----


def test_players_are_made_of_names_files_models_and_policies(tmp_path):
    for name in PLAYER_NAMES:
        assert player(name) is not None
        assert repr(pickle.loads(pickle.dumps(player(name)))) == repr(player(name))
    assert isinstance(player(PipCountEvaluator()), EvaluatorPlayer)
    assert isinstance(player(PlainNet()), EvaluatorPlayer)
    assert isinstance(player(BestPlay(PlainNet())), PolicyPlayer)
    path = tmp_path / "my.npz"
    path.write_bytes(Path(bgcore.__file__).with_name("nets").joinpath("fast.npz").read_bytes())
    assert isinstance(player(path), EvaluatorPlayer)
    for wrong in ("nobody", 3, None, RandomPlayer, NetEvaluator, tmp_path / "none.npz"):
        with pytest.raises(EvaluatorError):
            player(wrong)
    with pytest.raises(EvaluatorError):
        EvaluatorPlayer(None)


class Custom(RandomPlayer):
    """A user's player; what is given replaces what it returns."""

    def __init__(self, plays=None, doubles=None, answers=None):
        super().__init__()
        self.plays, self.doubles, self.answers = plays, doubles, answers

    def choose_plays(self, turns, dice):
        after = super().choose_plays(turns, dice)
        return after if self.plays is None else self.plays(turns.boards, after)

    def choose_doubles(self, turns):
        n = np.ones(len(turns), bool)
        return n if self.doubles is None else self.doubles(n)

    def choose_answers(self, turns, can_return):
        n = np.ones(len(turns), int)
        return n if self.answers is None else self.answers(n, can_return)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"plays": lambda b, a: None}, "Custom returned object"),
        ({"plays": lambda b, a: a[0]}, "Custom returned int8 of shape"),
        ({"plays": lambda b, a: a.astype(float)}, "Custom returned float64"),
        ({"plays": lambda b, a: b}, "Custom made an illegal play"),
        ({"plays": lambda b, a: np.zeros_like(b)}, "Custom made an illegal play"),
        ({"plays": lambda b, a: a.astype(int) + 256}, "Custom made an illegal play"),
        ({"plays": lambda b, a: a[:, ::-1]}, "Custom made an illegal play"),
        ({"plays": lambda b, a: [[1], [1, 2]]}, "Custom returned no array"),
        ({"doubles": lambda n: None}, "Custom returned object"),
        ({"doubles": lambda n: n.astype(int)}, "right are truth values"),
        ({"doubles": lambda n: n[:-1]}, "Custom returned bool of shape"),
        ({"answers": lambda n, c: None}, "Custom returned object"),
        ({"answers": lambda n, c: n == 1}, "right are whole numbers"),
        ({"answers": lambda n, c: n + 2}, r"answered 3 .* 0 \(drop\), 1 \(take\)"),
        ({"answers": lambda n, c: -n}, "answered -1"),
        ({"answers": lambda n, c: n + 1}, "answered 2"),
    ],
)
def test_a_players_mistakes_are_refused_by_its_name(wrong, message):
    with pytest.raises(EvaluatorError, match=message):
        play_match(Custom(**wrong), Custom(), rules=Rules.money(beavers=0), games=5)


def test_a_beaver_that_cannot_be_dropped_is_not_dropped():
    rules = Rules.money(beavers=1, beaver_drop=False)
    beavers = Custom(answers=lambda n, can_return: np.where(can_return, 2, 0))
    with pytest.raises(EvaluatorError, match=r"answered 0 to a double; legal are 1 \(take\)$"):
        play_match(beavers, beavers, rules=rules, games=5)


def test_a_player_may_write_on_what_it_is_given():
    class Scribbles(RandomPlayer):
        def choose_plays(self, turns, dice):
            after = super().choose_plays(turns, dice)
            turns.boards[:], dice[:], turns.series[:], turns.cubes[:] = 0, 1, -1, 64
            return after

        def choose_answers(self, turns, can_return):
            turns.offers[:], can_return[:] = 1024, True
            return super().choose_answers(turns, can_return)

    tables = [
        play_match(one, "random-cube", money=True, games=30).table
        for one in (Scribbles(), "random")
    ]
    assert (tables[0].points == tables[1].points).all()
    assert (tables[0].plies == tables[1].plies).all()


def test_a_policy_and_a_model_play_whole_matches():
    for one in (BestPlay(PlainNet()), PlainNet()):
        results = play_match(one, "random", length=3, matches=3, seed=1)
        assert results.matches[0] >= 2


# ---- scripts ----


def test_a_script_is_played():
    turns = turns_at(START, rules=Rules.casual())
    one = ScriptedPlayer([["8/5 6/5"]])
    played = one.choose_plays(turns, np.array([[3, 1]], np.uint8))
    assert played[0].tolist() == cells_of("24:2 13:5 8:2 6:4 5:2", "24:2 13:5 8:3 6:5")
    with pytest.raises(IllegalPlayError):
        one.choose_plays(turns, np.array([[6, 1]], np.uint8))
    by_match = ScriptedPlayer({(2, 1): ["double take"]})
    with pytest.raises(EvaluatorError, match="script of game 0 of match 0"):
        by_match.choose_doubles(turns)
    assert by_match.choose_doubles(turns_at(START, series=2, games=1)).tolist() == [True]
    with pytest.raises(EvaluatorError, match="has no turn 1"):
        by_match.choose_doubles(turns_at(START, series=2, games=1, plies=1))
    with pytest.raises(EvaluatorError, match="no answer"):
        answers(ScriptedPlayer([["double"]]), turns_at(START, offers=2))


def test_a_script_that_breaks_the_rules_is_refused():
    one = ScriptedPlayer([["", "double beaver take"]])
    with pytest.raises(EvaluatorError, match="ScriptedPlayer answered 2"):
        play_match(one, one, rules=Rules.money(beavers=0), games=1)


@pytest.mark.peers
def test_gnubg_nn_chooses_legal_plays_and_knows_the_opening():
    gnubg = player("gnubg-nn")
    rng = np.random.default_rng(1)
    board = np.array([START], np.int8)
    for _ in range(300):
        dice = rng.integers(1, 7, (1, 2)).astype(np.uint8)
        plays = movegen.legal_boards(board[0], *dice[0].tolist())
        after = gnubg.choose_plays(Turns.plain(board), dice)
        legal = plays.tolist() if len(plays) else board.tolist()
        assert after[0].tolist() in legal
        board = np.ascontiguousarray(-after[:, ::-1])
        if not ((board > 0).any() and (board < 0).any()):
            board = np.array([START], np.int8)
    chosen = gnubg.choose_plays(
        Turns.plain(np.array([START], np.int8)), np.array([[3, 1]], np.uint8)
    )
    assert chosen[0].tolist() == cells_of("24:2 13:5 8:2 6:4 5:2", "24:2 13:5 8:3 6:5")
    values = gnubg.evaluator.evaluate(np.array([START], np.int8))
    assert values[0] == pytest.approx([0.5215, 0.1542, 0.0076, 0.1297, 0.0075], abs=1e-3)
