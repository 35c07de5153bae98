"""The pages on the games tell what the rules have."""

import re

import pytest
from variant_pages import PAGES, option_texts, options_section

from bgcore.variants import DESCRIPTIONS, VARIANTS, variant_options

NAMES = list(VARIANTS)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_tells_rules_sources_and_every_option(name):
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == ["Rules", "Sources", "Options"]
    assert " ".join(DESCRIPTIONS[name].split()) in " ".join(text.split())
    assert f"`{VARIANTS[name].initial().own}`" in text
    # run tests/support/variant_pages.py after a change of the rules' docstring
    assert text.endswith(options_section(name))
    for option in variant_options(name):
        assert f"| `{option}` |" in text


def test_the_docstring_of_the_rules_explains_every_option():
    for name in NAMES:
        texts = option_texts(name)
        assert set(variant_options(name)) <= set(texts)
        assert all(len(texts[option][1]) > 20 for option in variant_options(name))


def test_the_first_page_leads_to_all():
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[.*?\]\((\w+)\.md\)", text, re.MULTILINE) == NAMES


@pytest.mark.parametrize("path", sorted(PAGES.glob("*.md")), ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for link in re.findall(r"\]\(([\w./]+)\)", path.read_text(encoding="utf-8")):
        assert (PAGES / link).exists()
