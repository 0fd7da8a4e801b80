"""The page's policy: data stays data, scripts run by hash only."""

from __future__ import annotations

import json

import pytest

from reports.page.html import data_block, digest, policy


@pytest.mark.parametrize(
    "text", ["</script>", "<!--", "]]>", "&lt;", "\u2028\u2029", "half \ud800", "ø\\u003c\"'"]
)
def test_data_cannot_end_its_element_and_comes_back_whole(text):
    block = data_block({"name": text})
    assert not set("<>&\u2028\u2029") & set(block)
    assert json.loads(block) == {"name": text}
    block.encode("utf-8")


def test_numbers_that_json_does_not_know_are_refused():
    with pytest.raises(ValueError, match="not JSON compliant"):
        data_block([float("nan")])


def test_a_digest_is_the_one_of_the_standard():
    # CSP level 3, 6.7.2.6: the hash of the empty text, which browsers name in their messages
    assert digest("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"


def test_without_a_scene_nothing_but_our_script_and_style_is_allowed():
    rules = policy(scripts=["'sha256-a'"], styles=["'sha256-b'"], scene=False).split("; ")
    assert sorted(rules) == [
        "base-uri 'none'",
        "default-src 'none'",
        "form-action 'none'",
        "img-src data:",
        "script-src 'sha256-a'",
        "style-src 'sha256-b'",
    ]


def test_a_scene_adds_webassembly_and_data_but_no_network_and_no_eval():
    rules = policy(scripts=["'sha256-a'"], styles=[], scene=True)
    assert "'wasm-unsafe-eval'" in rules
    assert "connect-src data: blob:;" in rules
    assert not any(word in rules for word in ("'unsafe-inline'", "'unsafe-eval'", "http", "*"))
