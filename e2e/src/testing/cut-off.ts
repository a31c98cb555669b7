import type { AppPage } from './app-pages.js';

/**
 * Runs in the page: texts and controls of which a part lies beyond the edge of the window, or of something around them that hides what
 * overflows and cannot be scrolled. Texts that end with "…" on purpose, and what is there for screen readers alone, do not count.
 */
const find = `(() => {
  const SLACK = 1;
  const name = (one) => (one.ariaLabel || one.innerText || one.placeholder || one.localName).replace(/\\s+/g, ' ').trim().slice(0, 60);
  const styles = new Map();
  const styleOf = (one) => styles.get(one) ?? (styles.set(one, getComputedStyle(one)), styles.get(one));
  const isForReaders = (one) => {
    const { clip, clipPath, position } = styleOf(one);
    return position === 'absolute' && (clip !== 'auto' || clipPath !== 'none') && one.getBoundingClientRect().width <= 1;
  };
  const found = [];
  for (const one of document.querySelectorAll('h1, h2, h3, p, a, button, input, label, dt, dd, [role=tab], [role=radio]')) {
    const box = one.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || styleOf(one).visibility === 'hidden') continue;
    let [left, right] = [0, innerWidth];
    let skip = false;
    for (let outer = one.parentElement; outer; outer = outer.parentElement) {
      const { overflowX, textOverflow } = styleOf(outer);
      if (isForReaders(outer) || outer.matches('svg, [inert], [aria-hidden=true], .cm-editor') || textOverflow === 'ellipsis') skip = true;
      if (overflowX === 'auto' || overflowX === 'scroll') {
        if (outer.scrollWidth > outer.clientWidth) skip = true;
      } else if (overflowX === 'hidden' || overflowX === 'clip') {
        const edge = outer.getBoundingClientRect();
        [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
      }
    }
    if (skip || isForReaders(one)) continue;
    if (box.left < left - SLACK || box.right > right + SLACK) found.push(one.localName + ' "' + name(one) + '"');
  }
  return [...new Set(found)];
})()`;

/** What is cut off at the sides of a screen, in words. */
export const cutOff = (page: AppPage): Promise<string[]> => page.evaluate<string[]>(find);
