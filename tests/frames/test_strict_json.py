"""JSON with a doubled key is rejected by name, with operations in proportion to its length."""

from __future__ import annotations

import pytest

from anls_frame.frames import strict_json


class Key(str):
    """A key that counts how often keys are compared or hashed."""

    __slots__ = ()
    operations = 0

    def __eq__(self, other: object) -> bool:
        Key.operations += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        Key.operations += 1
        return str.__hash__(self)


def operations_of(n_keys: int) -> int:
    """Return how often keys are compared or hashed to find that the last one of an object is doubled."""
    last = f"key {n_keys - 1}"
    pairs = [(Key(f"key {number}"), None) for number in range(n_keys)] + [(Key(last), None)]
    Key.operations = 0
    with pytest.raises(ValueError, match=rf"^duplicate key '{last}'$"):
        strict_json.members_of(pairs)
    return Key.operations


def test_twice_as_many_keys_need_twice_as_many_operations() -> None:
    once, twice = operations_of(500), operations_of(1000)
    assert 0 < twice <= 2 * once


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "b": 3, "a": 4}', '{"x": {"a": 1, "\\u0061": 2}}'])
def test_the_key_that_is_doubled_first_is_named(text: str) -> None:
    with pytest.raises(ValueError, match=r"^duplicate key 'a'$"):
        strict_json.parse(text)
