"""Make tests/data/gnubg_matches.tar.xz again: GNU Backgammon plays against itself.

usage: python make_gnubg_matches.py [gnubg, default: the program of this name in PATH]

What is played stands in README below. Of each match the program's two records are kept: NAME.mat
as it is, and of NAME.sgf the rules, scores, results and actions without the analysis.
"""

import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

TARGET = Path(__file__).parents[1] / "data" / "gnubg_matches.tar.xz"
DATE = "2023-01-03"  # of the program's release; the day of the export otherwise

README = """\
Games that GNU Backgammon 1.07.001 (Debian package 1.07.001-1+b1) played against itself. Text mode,
0-ply cubeful players with the package's nets and bear-off databases, no noise except for the cube
decisions of one player in money-3 and money-4.

match-001 ... match-200   matches to 7 points, seeds 1 ... 200
money-1 ... money-5       sessions of 20 money games, Jacoby rule, up to 3 beavers, seeds 1001 ...
                          1005; in money-5 up to one automatic double (only .sgf shows it)
resigned                  a match to 7 points in which one side resigns every game, seed 2001

.mat is the program's export. .sgf is its other record without the analysis: rules (CrawfordGame),
scores before the games, actions and results. All commands: tests/support/make_gnubg_matches.py.
"""

SETTINGS = """
set display off
set automatic roll on
set automatic move on
set automatic crawford on
set automatic doubles 0
set confirm new off
set confirm save off
set defaultnames Anna Ben
set beavers 3
set jacoby on
set rng mersenne
"""
NAMES = ("set player 0 name Anna", "set player 1 name Ben")  # a session does not take the defaults
#: Of the properties of a .sgf file, what is kept.
KEPT = ("FF", "GM", "CA", "AP", "MI", "PW", "PB", "DT", "RU", "CV", "RE", "W", "B", "PL", "DI")


def players(cube_noise: tuple[float, float] = (0, 0)) -> list[str]:
    lines = []
    for player in (0, 1):
        start = f"set player {player}"
        lines.append(f"{start} gnubg")
        for skill, noise in (("chequerplay", 0), ("cubedecision", cube_noise[player])):
            lines += [
                f"{start} {skill} evaluation plies 0",
                f"{start} {skill} evaluation cubeful on",
                f"{start} {skill} evaluation noise {noise}",
            ]
    return lines


def match(seed: int, length: int) -> list[str]:
    return [*players(), f"set seed {seed}", "set automatic game on", f"new match {length}"]


def money(
    seed: int, n_games: int, cube_noise: tuple[float, float] = (0, 0), automatic_doubles: int = 0
) -> list[str]:
    return [
        *players(cube_noise),
        f"set automatic doubles {automatic_doubles}",
        f"set seed {seed}",
        "set automatic game off",
        "new session",
        *NAMES,
        *["new game"] * (n_games - 1),
    ]


def resigning(seed: int, length: int) -> list[str]:
    """Player 1 resigns all games at his first turn, in three ways."""
    return [
        *players(),
        "set player 1 human",
        f"set seed {seed}",
        "set automatic game on",
        f"new match {length}",
        "resign normal",
        "resign gammon",
        "resign backgammon",
        "resign normal",
    ]


#: What is played: the name of each record, and the commands.
RECORDS = {
    **{f"match-{seed:03}": match(seed, 7) for seed in range(1, 201)},
    "money-1": money(1001, 20),
    "money-2": money(1002, 20),
    "money-3": money(1003, 20, cube_noise=(0.25, 0)),
    "money-4": money(1004, 20, cube_noise=(0, 0.25)),
    "money-5": money(1005, 20, automatic_doubles=1),
    "resigned": resigning(2001, 7),
}


def play(gnubg: str, name: str, commands: list[str]) -> dict[str, bytes]:
    """Return the records of one match by their file names."""
    with tempfile.TemporaryDirectory() as folder:
        script = [
            *SETTINGS.split("\n"),
            *commands,
            f"set matchinfo date {DATE}",
            f"export match mat {name}.mat",  # sessions too
            f"save match {name}.sgf",
            "",
        ]
        subprocess.run(
            [gnubg, "--tty", "--quiet"],
            input="\n".join(script),
            cwd=folder,
            env=os.environ | {"HOME": folder, "LC_ALL": "C"},
            stdout=subprocess.DEVNULL,
            text=True,
            check=True,
        )
        mat, sgf = (Path(folder, name + ending) for ending in (".mat", ".sgf"))
        return {mat.name: mat.read_bytes(), sgf.name: without_analysis(sgf.read_bytes())}


def without_analysis(sgf: bytes) -> bytes:
    def kept(match: re.Match[str]) -> str:
        return match[0] if match[1] in KEPT else ""

    # a property: its name and one or more values in brackets, where \ guards the next letter
    found = re.sub(r"([A-Z]+)((?:\[(?:[^\]\\]|\\.)*\])+)", kept, sgf.decode(), flags=re.DOTALL)
    return re.sub(r"\n(?=;)", "", found).encode()


def main() -> None:
    gnubg = sys.argv[1] if len(sys.argv) > 1 else "gnubg"
    files = {"README": README.encode()}
    for name, commands in RECORDS.items():
        print(name, flush=True)
        files |= play(gnubg, name, commands)
    # alike files side by side are packed smaller
    names = sorted(files, key=lambda name: (Path(name).suffix, name))
    with tarfile.open(TARGET, "w:xz", preset=9) as archive:
        for name in names:
            entry = tarfile.TarInfo(name)  # of the year 1970, owned by nobody
            entry.size = len(files[name])
            archive.addfile(entry, io.BytesIO(files[name]))


if __name__ == "__main__":
    main()
