/** Background classes of variants: a control is grey, the others have the colors of the series in order. */
export function variantColors(keys: readonly string[]): string[] {
  const others = keys.filter((key) => key !== 'control');
  return keys.map((key) => (key === 'control' ? GREY : (COLORS[others.indexOf(key) % COLORS.length] ?? GREY)));
}

const GREY = 'bg-[var(--c-other)]';
const COLORS = [
  'bg-[var(--c1)]',
  'bg-[var(--c2)]',
  'bg-[var(--c3)]',
  'bg-[var(--c4)]',
  'bg-[var(--c5)]',
  'bg-[var(--c6)]',
  'bg-[var(--c7)]',
  'bg-[var(--c8)]',
];
