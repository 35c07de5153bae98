"""Recipes in files: what is read, and what is refused with the place of the fault."""

from pathlib import Path

import pytest

from bgcore.errors import DiceError, TrainingError
from bgcore.recipes import Recipe, Stage, load_recipe

GOOD = """
seed = 7
hidden = 256
second = 64
[[stages]]
games = 1_000
rate_start = 1e-3
rate_end = 1e-4
[[stages]]
games = 50
rate_start = 1e-4
rate_end = 1e-5
trace = 0.5
lookahead = true
rounded = true
"""


def test_a_recipe_is_read_as_it_stands(tmp_path):
    path = tmp_path / "recipe.toml"
    path.write_text(GOOD)
    stages = (
        Stage(1000, 1e-3, 1e-4),
        Stage(50, 1e-4, 1e-5, trace=0.5, lookahead=True, rounded=True),
    )
    assert load_recipe(path) == Recipe(stages, seed=7, hidden=256, second=64)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed = 7", "sed = 7", "'sed' is unknown"),
        ("trace = 0.5", "lambda = 0.5", "stage 2: 'lambda' is unknown"),
        ("games = 50", "", "stage 2: games is missing"),
        ("games = 50", "games = -1", "stage 2: games"),
        ("second = 64", "second = 65", "multiple of 32"),
        ("seed = 7", "seed = ", "cannot be read as a recipe"),
        ("[[stages]]", "[[stage]]", "one table"),
        ("trace = 0.5", "trace = 1" + "0" * 400, "stage 2: trace is too large"),
        ("rate_end = 1e-5", "rate_end = 5e-324", r"stage 2: rate_end .*\[1e-12, 1\]"),
        ("rounded = true", "rounded = 1", "stage 2: rounded must be True or False"),
        ("seed = 7", "relations = 1", "relations must be True or False"),
        ("seed = 7", 'variant = "no game"', "no game"),
    ],
)
def test_faults_are_named_with_their_place(tmp_path, old, new, message):
    path = tmp_path / "recipe.toml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(TrainingError, match=message) as caught:
        load_recipe(path)
    assert "recipe.toml" in str(caught.value)


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "recipe.toml"
    with pytest.raises(TrainingError, match="No such file"):
        load_recipe(path)
    with pytest.raises(TrainingError, match="not a file"):
        load_recipe(tmp_path)
    for no_path in (3, None, b"recipe", "a\0b"):
        with pytest.raises(TrainingError, match="a text or a path"):
            load_recipe(no_path)
    with pytest.raises(TrainingError, match="options of a variant have names"):
        Recipe(variant={"name": "hypergammon", 1: 2})
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(TrainingError, match="cannot be read"):
        load_recipe(path)
    path.write_text(GOOD.replace("seed = 7", "seed = -7"))
    with pytest.raises(DiceError, match=r"recipe\.toml"):
        load_recipe(path)
    path.write_bytes(b"#" * (1 << 21))
    with pytest.raises(TrainingError, match="too long"):
        load_recipe(path)


def test_the_strong_nets_recipe_is_one():
    recipe = load_recipe(Path(__file__).parents[2] / "docs" / "nets" / "strong.toml")
    assert recipe.shape(0).second > 0
    assert recipe.record()["hidden"] == recipe.hidden
