"""Match equity tables: published numbers, files, and what lies beyond a table."""

from pathlib import Path

import numpy as np
import pytest

from bgcore import MatchEquityTable
from bgcore.errors import MatchEquityError
from bgcore.met import default_met

KXG2 = default_met()


def test_kazaross_xg2_has_its_published_numbers():
    row1 = (0.5, 0.67736, 0.75076, 0.81436, 0.84179, 0.88731, 0.90724, 0.93250, 0.94402)
    assert tuple(KXG2.chance(1, j) for j in range(1, 10)) == row1
    row2 = (0.5, 0.59947, 0.66870, 0.74359, 0.79940, 0.84225, 0.87539, 0.90197)
    assert tuple(KXG2.chance(2, j) for j in range(2, 10)) == row2
    assert (KXG2.chance(3, 5), KXG2.chance(4, 7), KXG2.chance(5, 9)) == (0.64795, 0.69924, 0.7254)
    assert (KXG2.chance(25, 25), KXG2.chance(1, 25)) == (0.5, 0.99905)


def test_after_crawford_another_table_holds():
    after = (0.5, 0.48803, 0.32264, 0.31002, 0.19012, 0.18072, 0.11559, 0.10906, 0.06953, 0.065161)
    assert tuple(KXG2.chance(k, 1, after_crawford=True) for k in range(1, 11)) == after
    # known mistake: the Crawford column instead of the post-Crawford table
    assert KXG2.chance(2, 1, after_crawford=True) == 0.48803
    assert KXG2.chance(2, 1) == 0.32264
    assert KXG2.chance(1, 2, after_crawford=True) == 1 - 0.48803


def test_the_end_of_a_match():
    assert KXG2.chance(0, 1) == 1
    assert KXG2.chance(1, 0) == 0
    assert KXG2.chance(-3, 5) == 1
    assert KXG2.chance(1, -1, after_crawford=True) == 0
    with pytest.raises(MatchEquityError, match="both"):
        KXG2.chance(0, 0)


def test_every_table_is_a_chance_and_both_sides_add_up():
    for i in range(1, 60):
        for j in range(1, 60):
            assert KXG2.chance(i, j) + KXG2.chance(j, i) == pytest.approx(1, abs=1e-12)
    table = np.array([[KXG2.chance(i, j) for j in range(1, 60)] for i in range(1, 60)])
    assert (np.diff(table, axis=0) < 0).all()  # who needs more has less
    assert (np.diff(table, axis=1) > 0).all()


#: Published tables as GNU Backgammon's package has them: size; 1 away to 2 away (Crawford), 2/3,
#: 3/5, 4/7, 5/9; and after Crawford for who needs 2, 3, 4 and 5.
FILES = {
    "Kazaross-XG2": (
        25,
        0.67736,
        0.59947,
        0.64795,
        0.69924,
        0.72540,
        0.48803,
        0.32264,
        0.31002,
        0.19012,
    ),
    "Rockwell-Kazaross": (
        25,
        0.676888,
        0.598994,
        0.647713,
        0.699664,
        0.725507,
        0.487677,
        0.323112,
        0.310299,
        0.190796,
    ),
    "g11": (25, 0.68145, 0.59964, 0.65026, 0.70186, 0.72739, 0.48811, 0.31770, 0.30588, 0.18538),
    "woolsey": (15, 0.70, 0.60, 0.66, 0.70, 0.73, 0.485, 0.30, 0.296, 0.18),
    "jacobs": (25, 0.690, 0.603, 0.654, 0.704, 0.730, 0.489, 0.312, 0.308, 0.182),
    "snowie": (15, 0.685, 0.594, 0.645, 0.690, 0.716, 0.485, 0.315, 0.305, 0.187),
    "mec26": (25, 0.685, 0.595, 0.646, 0.694, 0.720, 0.484989, 0.3195, 0.302314, 0.189355),
    "ortega": (15, 0.700, 0.598, 0.658, 0.703, 0.733, 0.490, 0.300, 0.290, 0.170),
}


@pytest.mark.peers
@pytest.mark.parametrize(("name", "numbers"), FILES.items(), ids=FILES)
def test_published_tables_have_their_numbers(name, numbers):
    file = Path("/usr/share/gnubg/met", f"{name}.xml")
    if not file.exists():
        pytest.skip("GNU Backgammon's tables are not installed")
    table = MatchEquityTable.load(file)
    size, *wanted = numbers
    found = [table.chance(i, j) for i, j in ((1, 2), (2, 3), (3, 5), (4, 7), (5, 9))]
    found += [table.chance(k, 1, after_crawford=True) for k in range(2, 6)]
    assert (table.size, found) == (size, pytest.approx(wanted, abs=1e-6))
    for i in range(1, size + 1):
        for j in range(1, size + 1):
            assert 0 < table.chance(i, j) < 1
            assert table.chance(i, j) + table.chance(j, i) == pytest.approx(
                1, abs=2.1e-3
            )  # rounded


@pytest.mark.peers
def test_a_table_for_a_favourite_is_not_the_same_for_both():
    file = Path("/usr/share/gnubg/met/jac050.xml")
    if not file.exists():
        pytest.skip("GNU Backgammon's tables are not installed")
    table = MatchEquityTable.load(file)
    assert not table.is_symmetric
    wanted = (0.702, 0.624, 0.681, 0.734, 0.763)
    found = tuple(table.chance(i, j) for i, j in ((1, 2), (2, 3), (3, 5), (4, 7), (5, 9)))
    assert found == pytest.approx(wanted, abs=1e-6)
    for player, after in ((0, (0.499, 0.323, 0.319, 0.191)), (1, (0.479, 0.298, 0.294, 0.168))):
        chances = [table.chance(k, 1, after_crawford=True, player=player) for k in range(2, 6)]
        assert chances == pytest.approx(after, abs=1e-6)


def test_beyond_its_size_a_table_goes_on_smoothly():
    # the steps at the seam are like those before it
    inner = KXG2.chance(24, 22) - KXG2.chance(25, 22)
    outer = KXG2.chance(25, 22) - KXG2.chance(26, 22)
    assert outer == pytest.approx(inner, rel=0.05)
    assert KXG2.chance(40, 40) == pytest.approx(0.5)
    # long matches come near a normal law: 10 points of 50 are worth less than 10 of 25
    assert KXG2.chance(50, 60) < KXG2.chance(25, 35) < KXG2.chance(15, 25)
    assert 0 < KXG2.chance(1000, 1) < 1e-12
    assert KXG2.chance(30, 1, after_crawford=True) < KXG2.chance(25, 1, after_crawford=True)


def test_the_recursion_reproduces_the_end_of_the_table_itself():
    small = MatchEquityTable(KXG2.before[:15, :15], KXG2.after[:, :25])
    for i in range(16, 26):
        for j in range(10, 26):
            assert small.chance(i, j) == pytest.approx(KXG2.chance(i, j), abs=0.008)


@pytest.mark.parametrize("score", [(1001, 1), (1.5, 2), ("3", 2), (None, 1)])
def test_scores_that_cannot_be_are_refused(score):
    with pytest.raises(MatchEquityError):
        KXG2.chance(*score)


def test_after_crawford_one_side_needs_1():
    with pytest.raises(MatchEquityError, match="one side needs 1"):
        KXG2.chance(2, 3, after_crawford=True)
    with pytest.raises(MatchEquityError, match="0 or 1"):
        KXG2.chance(2, 3, player=2)


def test_a_table_that_is_not_the_same_for_both():
    # Jacobs-Trice for a favourite, first rows
    table = MatchEquityTable([[0.5, 0.702], [0.34, 0.51]], [[0.5, 0.499], [0.48, 0.479]])
    assert not table.is_symmetric
    assert table.chance(1, 2) == 0.702
    assert table.chance(1, 2, player=1) == pytest.approx(1 - 0.34)
    assert table.chance(2, 1, after_crawford=True, player=1) == 0.479
    assert table.chance(1, 2, after_crawford=True, player=1) == pytest.approx(1 - 0.499)


XML = """<?xml version="1.0"?>
<met><info><name>Tiny</name><description>two points</description><length>2</length></info>
<pre-crawford-table type="explicit">
<row><me>0.5</me><me>0.68</me></row><row><me>0.32</me><me> 0.5 </me></row>
</pre-crawford-table>
<post-crawford-table type="explicit" player="both"><row><me>0.5</me><me>0.485</me></row>
</post-crawford-table></met>"""
MET = """; a comment
[Current]
Name=Tiny
Version=1.0

[PostCrawford]
Size=2
Data=0.5 0,485
[PreCrawford]
Size=2
 1=0.5 0.68
 2=0.32 0.5
"""


@pytest.mark.parametrize("text", [XML, MET, "\ufeff" + MET])
def test_files_of_both_programs(tmp_path, text):
    path = tmp_path / "table"
    path.write_text(text, encoding="utf-8")
    table = MatchEquityTable.load(path)
    assert (table.name, table.size, table.is_symmetric) == ("Tiny", 2, True)
    assert (table.chance(1, 2), table.chance(2, 1, after_crawford=True)) == (0.68, 0.485)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "<met>",
        "<html></html>",
        "<met></met>",
        XML.replace("0.68", "1.68"),
        XML.replace("0.68", "x"),
        XML.replace("<me>0.68</me>", ""),
        XML.replace('type="explicit">', 'type="zadeh">', 1),
        XML.replace('player="both"', 'player="0"'),
        MET.replace("Size=2", "Size=two"),
        MET.replace("Size=2", "Size=3"),
        MET.replace("0.68", "68"),
        MET.replace("Data=", "Date="),
        MET.replace("0.32", "nan"),
    ],
)
def test_files_that_are_no_tables_are_refused(tmp_path, text):
    path = tmp_path / "table"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(MatchEquityError, match="'table'"):
        MatchEquityTable.load(path)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Size=2", "Size=two", "size of a table is a number"),
        ("Size=2", "Size=-1", "size of a table is a number"),
        ("Size=2", "Size=99999999", "size of a table is a number"),
        ("Size=2", "Size=3", "'3' is missing"),
        ("0.32 0.5", "-0.32 0.5", "'-0.32' is no chance"),
        ("0.32 0.5", "1e999 0.5", "'1e999' is no chance"),
        (" 2=0.32 0.5", " 2=0.32 0.5\n 2=0.3 0.5", "'2' is given twice"),
    ],
)
def test_a_file_says_what_is_wrong_with_it(tmp_path, old, new, reason):
    path = tmp_path / "table.met"
    path.write_text(MET.replace(old, new), encoding="utf-8")
    with pytest.raises(MatchEquityError, match=reason):
        MatchEquityTable.load(path)


def test_files_that_would_grow_without_end_are_refused(tmp_path):
    entities = '<!ENTITY a0 "0.5 ">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 10)
    )
    for text in (
        f'<?xml version="1.0"?><!DOCTYPE met [{entities}]><met>&a9;</met>',
        "<met>" * 300_000,
    ):
        path = tmp_path / "table.xml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(MatchEquityError, match=r"'table\.xml'"):
            MatchEquityTable.load(path)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([[0.5, 0.5]], [0.5]),
        ([], []),
        ([[0.5]], []),
        ([[0.5]], [[0.5]]),
        ([[1.5]], [0.5]),
        ([[float("nan")]], [0.5]),
        ("x", [0.5]),
        # who needs a point more has the better chance
        ([[0.5, 0.7], [0.6, 0.5]], [0.5, 0.6]),
        ([[0.5, 0.4], [0.3, 0.5]], [0.5, 0.4]),
        ([[0.5, 0.7], [0.3, 0.2]], [0.5, 0.4]),
    ],
)
def test_arrays_that_are_no_tables_are_refused(before, after):
    with pytest.raises(MatchEquityError):
        MatchEquityTable(before, after)
