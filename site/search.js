// Scores of search results: what a word names comes first, then pages that explain it, then pages that contain it.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {0: 15, 1: 5, 2: -5},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,

  score: ([page, title, _anchor, description, score, _file, kind]) => {
    if (kind === "object") {
      // Methods repeat functions; functions of rooms, such as `gec.compare`, have names that others have, too.
      if (/method|property|attribute/.test(description)) return score - 8;
      const exact = score >= 16;
      const depth = title.split(".").length - 1;
      return score + (exact ? 10 : 5) - depth - (/function/.test(description) ? 0 : 0.5);
    }
    // Words of words.toml: whole or in the plural they answer, inside other words they may mean anything.
    if (kind === "index") return score >= 80 ? score : 3;
    // The page of a name has the name's entry above it already.
    if (page.startsWith("docs/reference/generated/")) return score - (score > 5 ? 12 : 4);
    // Guides answer more questions than the changelog, tables of measurements and what contributors read.
    return /^(docs|examples)\//.test(page) ? score : /^notebooks\//.test(page) ? score - 1 : score - 12;
  },
};
