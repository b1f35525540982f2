"""
M², the I-measure and ERRANT's counts in plain, slow Python, written from their definitions.

Nothing is shared with the package. Sentences are lists of words; a gold edit is `(start, end, corrections)`.
"""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import dataclass, field
from typing import TypeAlias

INF = math.inf
EPSILON = 0.001

Vertex: TypeAlias = tuple[int, int]
Arc: TypeAlias = tuple[Vertex, Vertex]
Gold: TypeAlias = tuple[int, int, list[str]]
Edit: TypeAlias = tuple[int, int, str, str]


# M²


def table(source: list[str], hypothesis: list[str], cost: int) -> dict[Vertex, int]:
    distance: dict[Vertex, int] = {}
    for i in range(len(source) + 1):
        for j in range(len(hypothesis) + 1):
            if i == 0 or j == 0:
                distance[i, j] = i + j
                continue
            different = 0 if source[i - 1] == hypothesis[j - 1] else cost
            distance[i, j] = min(
                distance[i - 1, j - 1] + different, distance[i - 1, j] + 1, distance[i, j - 1] + 1
            )
    return distance


def optimal_arcs(source: list[str], hypothesis: list[str], cost: int) -> set[Arc]:
    """All steps of all cheapest ways from one sentence to the other."""
    distance = table(source, hypothesis, cost)
    arcs: set[Arc] = set()
    todo = [(len(source), len(hypothesis))]
    seen = set(todo)
    while todo:
        i, j = end = todo.pop()
        for start, price in (((i - 1, j - 1), cost), ((i - 1, j), 1), ((i, j - 1), 1)):
            if min(start) < 0:
                continue
            if start == (i - 1, j - 1) and source[i - 1] == hypothesis[j - 1]:
                price = 0  # noqa: PLW2901 - an equal word is free
            if distance[start] + price == distance[end]:
                arcs.add((start, end))
                if start not in seen:
                    seen.add(start)
                    todo.append(start)
    return arcs


@dataclass
class Graph:
    """The lattice with its joined arcs, in the order in which the scorer relaxes them."""

    source: list[str]
    hypothesis: list[str]
    labels: str
    vertices: list[Vertex] = field(default_factory=list)
    arcs: list[Arc] = field(default_factory=list)
    length: dict[Arc, float] = field(default_factory=dict)
    unchanged: dict[Arc, int] = field(default_factory=dict)
    noop: dict[Arc, bool] = field(default_factory=dict)
    label: dict[Arc, Vertex] = field(default_factory=dict)

    def text(self, arc: Arc) -> tuple[str, str]:
        (i, j), (k, m) = arc
        return " ".join(self.source[i:k]), " ".join(self.hypothesis[j:m])


def graph(
    source: list[str],
    hypothesis: list[str],
    max_unchanged: int = 2,
    lattice: str = "official",
    labels: str = "fixed",
) -> Graph:
    g = Graph(source, hypothesis, labels)
    units = [optimal_arcs(source, hypothesis, cost) for cost in ((1,) if lattice == "paper" else (1, 2))]
    g.arcs = sorted(arc for arcs in units for arc in arcs)
    g.vertices = sorted({vertex for arc in g.arcs for vertex in arc} | {(0, 0)})
    for arc in g.arcs:
        (i, j), (k, m) = arc
        g.noop[arc] = k - i == m - j == 1 and source[i] == hypothesis[j]
        g.length[arc], g.unchanged[arc] = 1, int(g.noop[arc])
        g.label[arc] = (m - 1, m - 1) if labels == "v3.2" and i == k == 0 else (i, k)
    for middle in g.vertices:
        for start in g.vertices:
            if (start, middle) not in g.length:
                continue
            for end in g.vertices:
                if (middle, end) not in g.length:
                    continue
                first, second, both = (start, middle), (middle, end), (start, end)
                length = g.length[first] + g.length[second]
                unchanged = g.unchanged[first] + g.unchanged[second]
                if length < g.length.get(both, INF) and unchanged <= max_unchanged:
                    g.arcs.append(both)
                    g.length[both], g.unchanged[both] = length, unchanged
                    g.noop[both] = g.noop[first] and g.noop[second]
                    g.label[both] = g.label[first][0], g.label[second][1]
    # Taken out of the list while it is walked, so that the walk misses the one behind.
    index = 0
    while index < len(g.arcs):
        arc = g.arcs[index]
        if g.noop[arc] and g.length[arc] > 1:
            g.arcs.remove(arc)
        index += 1
    return g


def hits(g: Graph, label: Vertex, original: str, correction: str, gold: Gold) -> bool:
    start, end, corrections = gold
    return label == (start, end) and original == " ".join(g.source[start:end]) and correction in corrections


def weights(g: Graph, golds: list[Gold]) -> dict[Arc, float]:  # noqa: C901, PLR0912 - as it is defined
    weight = {arc: float(g.length[arc]) for arc in g.arcs}
    hit = -float(len(g.arcs))
    places: dict[Vertex, list[Arc]] = {}
    for arc in g.arcs:
        places.setdefault(g.label[arc], []).append(arc)
    for label, unsorted in places.items():
        arcs = sorted(unsorted)
        here = [gold for gold in golds if gold[:2] == label]

        def find(arc: Arc, order: range, here: list[Gold] = here, label: Vertex = label) -> int | None:
            return next((x for x in order if hits(g, label, *g.text(arc), here[x])), None)

        if label[0] != label[1]:
            for arc in arcs:
                if find(arc, range(len(here))) is not None:
                    weight[arc] = hit
                elif not g.noop[arc]:
                    weight[arc] += EPSILON
            continue
        left, right, low, high = 0, len(arcs) - 1, 0, len(here) - 1
        current = left
        while left <= right:
            arc = arcs[current]
            at_left = current == left
            found = find(arc, range(low, high + 1) if at_left else range(high, low - 1, -1))
            if found is not None:
                weight[arc] = hit
            else:
                weight[arc] += EPSILON
            if found is not None and at_left:
                low, left = found + 1, left + 1
                while left < len(arcs) and arcs[left][0] != arc[1]:
                    weight[arcs[left]] += EPSILON
                    left += 1
                current = left
            elif found is not None:
                high, right = found - 1, right - 1
                while right >= 0 and arcs[right][1] != arc[0]:
                    weight[arcs[right]] += EPSILON
                    right -= 1
                current = right
            elif at_left:
                left += 1
                current = right
            else:
                right -= 1
                current = left
    return weight


def shortest(g: Graph, weight: dict[Arc, float]) -> list[Arc]:
    distance = dict.fromkeys(g.vertices, INF)
    distance[0, 0] = 0.0
    before: dict[Vertex, Arc] = {}
    is_changed = True
    while is_changed:
        is_changed = False
        for arc in g.arcs:
            start, end = arc
            if distance[start] + weight[arc] < distance[end]:
                distance[end] = distance[start] + weight[arc]
                before[end] = arc
                is_changed = True
    path, vertex = [], (len(g.source), len(g.hypothesis))
    while vertex != (0, 0):
        path.append(before[vertex])
        vertex = before[vertex][0]
    return path[::-1]


def most_hits(source: str, hypothesis: str, golds: list[Gold], **options: object) -> int:
    """How many arcs of the chosen path carry the weight of a gold edit."""
    s, h = source.split(), hypothesis.split()
    if s == h:
        return 0
    g = graph(s, h, **options)  # type: ignore[arg-type]
    weight = weights(g, [gold for gold in golds if max(gold[:2]) <= len(s)])
    return sum(weight[arc] < 0 for arc in shortest(g, weight))


def paper_edges(source: list[str], hypothesis: list[str], max_unchanged: int = 2) -> dict[Arc, int]:
    """
    Edges of the paper's lattice with the fewest unchanged words on a way between their ends.

    The steps of all cheapest ways at unit costs, and every part of such a way that changes a word and leaves
    no more than so many unchanged.
    """
    units = optimal_arcs(source, hypothesis, 1)
    unchanged: dict[Arc, int] = {}
    for start in sorted({arc[0] for arc in units}):
        fewest = {start: 0}
        for arc in sorted(units):
            (i, j), (k, m) = arc
            if arc[0] in fewest:
                same = int(k - i == m - j == 1 and source[i] == hypothesis[j])
                fewest[arc[1]] = min(fewest.get(arc[1], len(source)), fewest[arc[0]] + same)
        unchanged |= {(start, end): count for end, count in fewest.items() if end != start}
    return {
        ((i, j), (k, m)): count
        for ((i, j), (k, m)), count in unchanged.items()
        if ((i, j), (k, m)) in units or (count <= max_unchanged and source[i:k] != hypothesis[j:m])
    }


def paper_most_hits(source: str, hypothesis: str, golds: list[Gold], max_unchanged: int = 2) -> int:
    """How many gold edits the best way through the paper's lattice has: the maximum in its title."""
    s, h = source.split(), hypothesis.split()
    best = {(0, 0): 0}
    for start, end in sorted(paper_edges(s, h, max_unchanged)):
        (i, j), (k, m) = start, end
        edit = i, k, " ".join(h[j:m])
        is_hit = s[i:k] != h[j:m] and any(edit[:2] == gold[:2] and edit[2] in gold[2] for gold in golds)
        if start in best:
            best[end] = max(best.get(end, 0), best[start] + is_hit)
    return best[len(s), len(h)]


def path_hits(source: str, hypothesis: str, edits: list[Edit], golds: list[Gold]) -> int:
    """How many edits are gold edits, in whatever order, unchanged words between them included."""
    s, h = source.split(), hypothesis.split()
    kept, i, j = [], 0, 0
    for start, end, original, correction in [*edits, (len(s), len(s), "", "")]:
        while i < start:
            assert s[i] == h[j]
            kept.append((i, i + 1, s[i], s[i]))
            i, j = i + 1, j + 1
        i, j = end, j + len(correction.split())
        kept.append((start, end, original, correction))
    kept.pop()
    assert (i, j) == (len(s), len(h))
    return sum(
        any(
            (start, end) == gold[:2] and original == " ".join(s[start:end]) and correction in gold[2]
            for gold in golds
        )
        for start, end, original, correction in kept
    )


def m2_edits(
    source: str,
    hypothesis: str,
    golds: list[Gold],
    *,
    max_unchanged: int = 2,
    ignore_whitespace_casing: bool = False,
    lattice: str = "official",
    insert_labels: str = "fixed",
) -> list[Edit]:
    s, h = source.split(), hypothesis.split()
    if s == h:
        return []
    golds = [gold for gold in golds if max(gold[:2]) <= len(s)]
    g = graph(s, h, max_unchanged, lattice, insert_labels)
    path = shortest(g, weights(g, golds))
    edits = [(*g.label[arc], *g.text(arc)) for arc in path if not g.noop[arc]]
    if ignore_whitespace_casing:
        edits = [one for one in edits if one[2].replace(" ", "").lower() != one[3].replace(" ", "").lower()]
    return edits


def m2_counts(source: str, edits: list[Edit], golds: list[Gold]) -> tuple[int, int, int]:
    """Edits matched, proposed and gold, matched in the order of the file."""
    s = source.split()
    golds = [gold for gold in golds if max(gold[:2]) <= len(s)]
    correct = last = 0
    for start, end, original, correction in edits:
        for x in range(last, len(golds)):
            low, high, corrections = golds[x]
            if (
                (start, end) == (low, high)
                and original == " ".join(s[low:high])
                and correction in corrections
            ):
                correct += 1
                last = x + 1
    return correct, len(edits), len(golds)


def m2_greedy(rows: list[list[tuple[int, int, int]]], beta: float) -> tuple[int, int, int]:
    totals = (0, 0, 0)
    for row in rows:
        best = None
        for own in row:
            c, p, g = (one + other for one, other in zip(totals, own, strict=True))
            size = beta**2 * g + p
            f = (1 + beta**2) * c / size if size else float(c == 0)
            if (
                best is None
                or f > best[0]
                or (f == best[0] and c > best[1])
                or (f == best[0] and c == best[1] and size < best[2])
            ):
                best = (f, c, size, (c, p, g))
        assert best is not None
        totals = best[3]
    return totals


# The I-measure

Column: TypeAlias = tuple[str, str, str]


def align(
    source: list[str], hypothesis: list[str], reference: list[str], gap: int = 2, mismatch: int = 3
) -> list[Column]:
    if source == hypothesis == reference:
        return [(word, word, word) for word in source]
    if source == hypothesis:
        return [(one, one, other) for one, other in align_two(source, reference, gap, mismatch)]
    if source == reference:
        return [(one, other, one) for one, other in align_two(source, hypothesis, gap, mismatch)]
    texts = source, hypothesis, reference
    moves = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    sizes = [range(len(text) + 1) for text in texts]
    best: dict[tuple[int, ...], tuple[int, tuple[int, int, int]]] = {(0, 0, 0): (0, (0, 0, 0))}
    for here in itertools.product(*sizes):
        if here == (0, 0, 0):
            continue
        choices = []
        for move in moves:
            before = tuple(at - step for at, step in zip(here, move, strict=True))
            if min(before) < 0:
                continue
            column = [text[at] if step else "" for text, at, step in zip(texts, before, move, strict=True)]
            price = sum(
                0 if one == other else gap if "" in (one, other) else mismatch
                for one, other in itertools.combinations(column, 2)
            )
            choices.append((best[before][0] + price, move))
        # The first of equals.
        best[here] = min(choices, key=lambda choice: choice[0])
    columns, here = [], tuple(len(text) for text in texts)
    while here != (0, 0, 0):
        move = best[here][1]
        here = tuple(at - step for at, step in zip(here, move, strict=True))
        columns.append(
            tuple(text[at] if step else "" for text, at, step in zip(texts, here, move, strict=True))
        )
    return columns[::-1]  # type: ignore[return-value]


def align_two(first: list[str], second: list[str], gap: int, mismatch: int) -> list[tuple[str, str]]:
    cost: dict[Vertex, int] = {}
    for i, j in itertools.product(range(len(first) + 1), range(len(second) + 1)):
        options = [0] if (i, j) == (0, 0) else []
        if i and j:
            options.append(cost[i - 1, j - 1] + (0 if first[i - 1] == second[j - 1] else mismatch))
        if i:
            options.append(cost[i - 1, j] + gap)
        if j:
            options.append(cost[i, j - 1] + gap)
        cost[i, j] = min(options)
    pairs, (i, j) = [], (len(first), len(second))
    while (i, j) != (0, 0):
        pair = 0 if i and j and first[i - 1] == second[j - 1] else mismatch
        if i and j and cost[i, j] == cost[i - 1, j - 1] + pair:
            i, j = i - 1, j - 1
            pairs.append((first[i], second[j]))
        elif i and cost[i, j] == cost[i - 1, j] + gap:
            i -= 1
            pairs.append((first[i], ""))
        else:
            j -= 1
            pairs.append(("", second[j]))
    return pairs[::-1]


Counts: TypeAlias = dict[str, int]


def count(columns: list[Column]) -> dict[str, Counts]:
    counts = {
        aspect: dict.fromkeys(("tp", "tn", "fp", "fn", "fpn"), 0) for aspect in ("detection", "correction")
    }
    for source, hypothesis, reference in columns:
        if len({source, hypothesis, reference}) == 3:
            counts["detection"]["tp"] += 1
            for name in ("fp", "fn", "fpn"):
                counts["correction"][name] += 1
            continue
        if source == hypothesis:
            name = "tn" if source == reference else "fn"
        else:
            name = "fp" if source == reference else "tp"
        for aspect in counts.values():
            aspect[name] += 1
    return counts


@functools.cache
def counted(
    source: tuple[str, ...], hypothesis: tuple[str, ...], reference: tuple[str, ...], costs: tuple[int, int]
) -> dict[str, Counts]:
    """Count in their alignment, which takes long, once for all ways to read the counts."""
    return count(align([*source], [*hypothesis], [*reference], *costs))


def wacc(counts: Counts, w: float) -> float | None:
    divisor = w * (counts["tp"] + counts["fp"]) + counts["tn"] + counts["fn"] - (w + 1) * counts["fpn"] / 2
    return (w * counts["tp"] + counts["tn"]) / divisor if divisor else None


def improvement(system: float, base: float) -> float:
    if system == base:
        return math.floor(system)
    return (system - base) / (1 - base) if system > base else system / base - 1


@dataclass
class Improvement:
    """The result of a row."""

    system: dict[str, Counts]
    base: dict[str, Counts]
    reference: list[str]
    wacc: float | None
    wacc_base: float | None
    i: float | None


def i_measure(
    source: str,
    hypothesis: str,
    references: list[list[str]],
    *,
    w: float = 2.0,
    aspect: str = "correction",
    costs: tuple[int, int] = (2, 3),
) -> list[Improvement]:
    """The result for each of the best references: the maximum of WAcc, then I, then accuracy."""
    s, h = source.split(), hypothesis.split()
    results = []
    for reference in references:
        # The base is a system like any other, one that gives the source back, and is aligned as such.
        system, base = (counted(tuple(s), tuple(text), tuple(reference), costs) for text in (h, s))
        keys: list[float] = []
        for one in (aspect, "detection" if aspect == "correction" else "correction"):
            own, other = wacc(system[one], w), wacc(base[one], w)
            i = improvement(own, other) if own is not None and other is not None else None
            accuracy = wacc(system[one], 1)
            keys += [-INF if x is None else x for x in (own, i, own, accuracy)]
        own, other = wacc(system[aspect], w), wacc(base[aspect], w)
        i = improvement(own, other) if own is not None and other is not None else None
        results.append((keys, Improvement(system, base, reference, own, other, i)))
    best = max(keys for keys, _ in results)
    return [result for keys, result in results if keys == best]


Annotated: TypeAlias = dict[int, list[tuple[int, int, str]]]


def corrected(source: list[str], edits: list[tuple[int, int, str]]) -> list[str]:
    words = list(source)
    for start, end, text in sorted(edits, key=lambda edit: edit[:2], reverse=True):
        changed = list(words)
        changed[start:end] = text.split()
        words = changed or words
    return words or source


def joined(edits: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    spans: dict[tuple[int, int], list[str]] = {}
    for start, end, text in edits:
        spans.setdefault((start, end), []).append(text)
    return [(*span, " ".join(texts)) for span, texts in spans.items()]


def overlaps(e: tuple[int, int, str], f: tuple[int, int, str]) -> bool:
    (a, b), (c, d) = e[:2], f[:2]
    if (a, b) == (c, d):
        return True
    if a == b:
        return c < a and b < d
    if c == d:
        return a < c and d < b
    return c < b <= d or c <= a < d


def references(source: str, annotated: Annotated, *, mix: bool = True) -> set[tuple[str, ...]]:
    """The reference sentences; `annotated` has an entry for each annotator."""
    s = source.split()
    all_edits = [(edit, who) for who in sorted(annotated) for edit in annotated[who]]
    all_edits.sort(key=lambda one: one[0][0] - one[0][1])
    if not mix:
        found = {tuple(corrected(s, joined([e for e, who in all_edits if who == one]))) for one in annotated}
        return found or {tuple(s)}
    clusters: list[list[tuple[tuple[int, int, str], int]]] = []
    for edit, who in all_edits:
        cluster = next((one for one in clusters if any(overlaps(edit, other) for other, _ in one)), None)
        if cluster is None:
            clusters.append([(edit, who)])
        else:
            cluster.append((edit, who))
    choices = []
    for cluster in clusters:
        alternatives = [
            joined([edit for edit, one in cluster if one == who]) for who in {who for _, who in cluster}
        ]
        if len(alternatives) < len(annotated):
            alternatives.append([])
        choices.append(alternatives)
    found = set()
    for choice in itertools.product(*choices):
        edits = [edit for alternative in choice for edit in alternative]
        if len({edit[:2] for edit in edits}) == len(edits):
            found.add(tuple(corrected(s, edits)))
    return found


# ERRANT

Typed: TypeAlias = tuple[int, int, str, str]


def errant_keys(
    edits: list[Typed], mode: str, *, single: bool = False, multi: bool = False, filt: tuple[str, ...] = ()
) -> dict[tuple[object, ...], list[str]]:
    keys: dict[tuple[object, ...], list[str]] = {}
    for start, end, kind, correction in edits:
        if kind in filt or (kind == "UNK" and mode in ("cs", "cse")):
            continue
        is_short = end - start < 2 and len(correction.split()) < 2
        if (single and not is_short) or (multi and is_short):
            continue
        spans: list[tuple[object, ...]]
        if mode == "dt":
            spans = [(x, x + 1) for x in range(start, max(end, start + 1))]
        elif mode == "ds":
            spans = [(start, end)]
        else:
            spans = [(start, end, correction) if mode == "cs" else (start, end, kind, correction)]
        for span in spans:
            keys.setdefault(span, []).append(kind)
    return keys


def errant_counts(
    own: dict[tuple[object, ...], list[str]], other: dict[tuple[object, ...], list[str]]
) -> dict[str, list[int]]:
    """True positives, false positives and false negatives of each type."""
    types: dict[str, list[int]] = {}
    for key in {*own, *other}:
        kinds, place = (
            (other[key], 0)
            if key in own and key in other
            else (own.get(key) or other[key], 1 if key in own else 2)
        )
        for kind in kinds:
            types.setdefault(kind, [0, 0, 0])[place] += 1
    return types
