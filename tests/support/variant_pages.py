"""The parts of docs/variants that the rules themselves tell; run it to write them anew."""

import inspect
import re
from pathlib import Path

from bgcore.variants import VARIANTS, variant_options
from bgcore.variants.games import payoffs_of

PAGES = Path(__file__).parents[2] / "docs" / "variants"
HEADING = "## Options\n"


def option_texts(name):
    """What the docstring of a game's rules says: {option: (values, meaning)}."""
    text = inspect.cleandoc(type(VARIANTS[name]).__doc__).partition("----------\n")[2]
    text = text.partition("\nRaises\n")[0]
    found = {}
    for entry in re.split(r"\n(?=\S)", text):
        head, *lines = entry.splitlines()
        option, _, values = head.partition(" : ")
        meaning = " ".join(line.strip() for line in lines if line.strip())
        found[option] = (
            values.partition(", default")[0],
            re.sub(r"(?<=acey-) (?=deucey)", "", meaning),
        )
    return found


def options_section(name):
    """The section on the options of a game."""
    texts = option_texts(name)
    lines = [
        HEADING,
        f'As `variant("{name}", option=value)`, or `--rule option=value` on the command line.',
        "",
        "| option | values | here | meaning |",
        "|---|---|---|---|",
    ]
    for option in variant_options(name):
        values, meaning = texts[option]
        if option == "payoff":
            values = "{" + ", ".join(f'"{word}"' for word in payoffs_of(name)) + "}"
        here = getattr(VARIANTS[name], option)
        lines.append(f"| `{option}` | {values} | `{here!r}` | {meaning} |".replace("\n", " "))
    return "\n".join(lines) + "\n"


def main():
    for name in VARIANTS:
        path = PAGES / f"{name}.md"
        text = path.read_text(encoding="utf-8").partition(HEADING)[0]
        path.write_text(text + options_section(name), encoding="utf-8")


if __name__ == "__main__":
    main()
