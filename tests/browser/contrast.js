// Texts on the page whose contrast with what is behind them is too small.
(least) => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  /** The luminance of colours painted one over another. */
  const luminance = (colours) => {
    const key = colours.join();
    if (known.has(key)) return known.get(key);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data]
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    known.set(key, 0.2126 * red + 0.7152 * green + 0.0722 * blue);
    return known.get(key);
  };
  // What cannot be used now may be pale; what is for screen readers only has no colours.
  const exempt = ":disabled, label:has(:disabled), .unseen, .skip, noscript, option";
  const dim = [];
  const look = (element, below) => {
    if (element.hidden || element.matches(exempt)) return;
    const style = getComputedStyle(element);
    if (style.display === "none" || style.visibility === "hidden") return;
    const clear = style.backgroundColor === "rgba(0, 0, 0, 0)";
    const behind = clear ? below : [...below, style.backgroundColor];
    if ([...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) {
      const text = element instanceof SVGElement ? style.fill : style.color;
      const both = [luminance(behind), luminance([...behind, text])].sort((a, b) => b - a);
      const ratio = (both[0] + 0.05) / (both[1] + 0.05);
      const said = element.textContent.trim().slice(0, 30);
      if (ratio < least) dim.push(`${element.tagName}#${element.id} “${said}” ${ratio.toFixed(2)}`);
    }
    for (const child of element.children) look(child, behind);
  };
  look(document.body, ["white"]);
  return dim;
}
