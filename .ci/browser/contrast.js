// The contrast of texts with what is behind them, as WCAG 2 reckons it, least of the elements that are seen.
(selector) => {
  const parse = (color) => color.match(/[\d.]+/g).map(Number);
  const light = (color) => {
    const [r, g, b] = parse(color).map((c) => c / 255)
      .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  // Layers that let others through are laid over them.
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
      layers.push([r, g, b, a]);
      if (a === 1) { break; }
    }
    const [below, ...above] = layers.reverse();
    const mixed = above.reduce(
      (under, [r, g, b, a]) => [r, g, b].map((c, i) => a * c + (1 - a) * under[i]), below.slice(0, 3),
    );
    return `rgb(${mixed.join()})`;
  };
  let least = 21;
  for (const e of document.querySelectorAll(selector)) {
    if (!e.checkVisibility()) { continue; }
    const [high, low] = [light(getComputedStyle(e).color), light(behind(e))].sort((a, b) => b - a);
    least = Math.min(least, (high + 0.05) / (low + 0.05));
  }
  return least;
}
