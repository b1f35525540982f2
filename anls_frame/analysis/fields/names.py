"""Names of fields: the keys from the root of a document, joined by dots."""

from __future__ import annotations

import functools
import json


@functools.lru_cache(1 << 14)
def name_of(parent: str, key: str) -> str:
    """Return the name of a key within a named value; `[]` is appended to the name of a list."""
    is_plain = key and not set(key) & set('.[]"')
    key = key if is_plain else json.dumps(key, ensure_ascii=False)
    return f"{parent}.{key}" if parent else key
