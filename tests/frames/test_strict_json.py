"""JSON with a doubled key is rejected by name, with operations in proportion to its length."""

from __future__ import annotations

import pytest
from counted import Counted, operations_of

from anls_frame.frames import strict_json


def find_doubled(n_keys: int) -> None:
    """Have the key named that is the last one of an object and, once more, behind it."""
    last = f"key {n_keys - 1}"
    pairs = [(Counted(f"key {number}"), None) for number in range(n_keys)] + [(Counted(last), None)]
    with pytest.raises(ValueError, match=rf"^duplicate key '{last}'$"):
        strict_json.members_of(pairs)


def test_twice_as_many_keys_need_twice_as_many_operations() -> None:
    once, twice = (operations_of(lambda n_keys=n_keys: find_doubled(n_keys)) for n_keys in (500, 1000))

    assert 0 < twice <= 2 * once


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "b": 3, "a": 4}', '{"x": {"a": 1, "\\u0061": 2}}'])
def test_the_key_that_is_doubled_first_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^duplicate key 'a'$"):
        strict_json.parse(text)
