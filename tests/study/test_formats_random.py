"""Random matches come back from every format as they were, or it is told what is lost."""

import io
import random

from hypothesis import example, given, settings
from hypothesis import strategies as st

from bgcore import Match, MoneySession, Rules, read_matches, write_matches
from bgcore.actions import MakeStep, Refuse

NAMES = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=30)


def random_series(seed, length, *, plain):
    rng = random.Random(seed)
    if length:
        series = Match(length, names=("Ann", "Bob"), info={"Event": "Open"})
    else:
        rules = Rules.money(jacoby=rng.random() < 0.5, beavers=rng.randrange(3))
        series = MoneySession(rules, names=("Ann", "Bob"), info={"Event": "Open"})
    return drive(series, rng, plain=plain)


def drive(series, rng, *, plain):
    for _ in range(rng.randint(1, 3)):
        game = series.game
        while not game.is_over:
            stage = game.stage.value
            if stage in ("opening", "roll") and (stage == "opening" or rng.randrange(6)):
                dice = rng.randint(1, 6), rng.randint(1, 6)
                if stage == "opening" and plain and dice[0] == dice[1]:
                    continue
                game.roll(dice)
                continue
            actions = [action for action in game.legal_actions() if str(action) != "roll"]
            if plain:
                actions = [a for a in actions if not isinstance(a, (MakeStep, Refuse))]
            if stage in ("roll", "play") and rng.randrange(40):
                actions = [a for a in actions if not str(a).startswith("resign")]
            if actions:
                game.do(rng.choice(actions))
            elif stage == "roll":
                game.roll((rng.randint(1, 6), rng.randint(1, 6)))
        if series.is_over or rng.randrange(4) == 0:
            break
        series.next_game()
        if rng.randrange(4) == 0:
            break  # a game that is not begun
    return series


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 1, 3, 7]))
def test_plain_matches_come_back_from_every_format(seed, length):
    series = random_series(seed, length, plain=True)
    for format in ("mat", "xg-text", "sgf", "json"):
        file = io.BytesIO()
        assert write_matches(file, series, format) == []
        reader = read_matches(io.BytesIO(file.getvalue()), format)
        (again,) = reader
        assert [problem for problem in reader.problems if problem.is_fault] == []
        assert again.to_dict() == series.to_dict()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([0, 3, 7]))
def test_what_does_not_come_back_is_told(seed, length):
    series = random_series(seed, length, plain=False)
    for format in ("mat", "sgf", "json"):
        file = io.BytesIO()
        lost = write_matches(file, series, format)
        reader = read_matches(io.BytesIO(file.getvalue()), format)
        (again,) = reader
        assert [game.result for game in again.games] == [game.result for game in series.games]
        if not lost:
            assert again.to_dict() == series.to_dict()
        assert format != "json" or not lost


@settings(max_examples=150, deadline=None)
@given(NAMES, NAMES, NAMES)
@example("a : 3  b", "Game 2", "x")
@example('" ]', "\\]", ";")
@example("7 point match", " : ", "[")
@example(";Ann", "; Set Pos=", "; Bob")
@example("A:B", "A.B", ":")
@example('A"B:C', ';"D"', "")
def test_names_and_texts_come_back_or_it_is_told(first, second, text):
    if first == second:
        second += "x"
    series = Match(3, names=(first, second), info={"Event": text})
    series.game.roll("31")
    series.game.play("8/5 6/5")
    for format in ("mat", "sgf", "json"):
        file = io.BytesIO()
        lost = write_matches(file, series, format)
        reader = read_matches(io.BytesIO(file.getvalue()), format)
        (again,) = reader
        assert reader.problems == []
        assert again.game.actions == series.game.actions, format
        if not lost:
            assert again.names == series.names
            assert again.info == series.info


TAGS = ("Event", "EventDate", "Comment", "Player 1", "Crawford", "CubeLimit", "Rules", "a b", 'a"b')
TEXTS = ("Off", "4", "", "two  blanks", "a\nb", " Ann", "2024-01-02", "2024.01.02", "Ann", "x=3")


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([0, 3]), st.dictionaries(st.sampled_from(TAGS), st.sampled_from(TEXTS)), NAMES
)
@example(3, {"CubeLimit": "4"}, "x")
@example(0, {"Jacoby": "Off"}, "x")
@example(0, {"Player 1": "Ann"}, "x")
def test_the_info_comes_back_or_it_is_told(length, info, name):
    names = ("Ann", name + "2")
    series = (
        Match(length, names=names, info=info) if length else MoneySession(names=names, info=info)
    )
    for format in ("mat", "sgf", "json"):
        file = io.BytesIO()
        lost = write_matches(file, series, format)
        reader = read_matches(io.BytesIO(file.getvalue()), format)
        (again,) = reader
        assert reader.problems == []
        assert again.rules == series.rules
        assert again.names[0] == series.names[0]
        if not lost:
            assert again.to_dict() == series.to_dict()
