export type ThemeName = 'light' | 'dark';

export interface Theme {
  background: string;
  card: string;
  border: string;
  text: string;
  muted: string;
  grid: string;
  palette: readonly string[];
}

/** The font family: the bundled font first, then the fallbacks for letters that it lacks. */
export const FONT = "'DejaVu Sans', sans-serif";

const PALETTE = ['#2f6feb', '#d97706', '#0f9d76', '#c2410c', '#7c3aed', '#db2777', '#0891b2', '#65a30d', '#b45309', '#475569'];
const DARK_PALETTE = [
  '#6ea8fe',
  '#fbbf24',
  '#34d399',
  '#fb923c',
  '#a78bfa',
  '#f472b6',
  '#22d3ee',
  '#a3e635',
  '#fcd34d',
  '#94a3b8',
];

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: '#f5f6f8',
    card: '#ffffff',
    border: '#dde1e7',
    text: '#1c2330',
    muted: '#5b6575',
    grid: '#e6e9ee',
    palette: PALETTE,
  },
  dark: {
    background: '#12151c',
    card: '#1b202a',
    border: '#323a48',
    text: '#edf0f5',
    muted: '#a4aebd',
    grid: '#2c3340',
    palette: DARK_PALETTE,
  },
};

/** A small text at a position, as an ECharts graphic. */
export const note = (text: string, x: number, y: number, fill: string) => ({
  type: 'text',
  x,
  y,
  style: { text, fill, fontSize: 12, verticalAlign: 'middle' },
});

/** Black or white, whichever has more contrast on a background color (`#rrggbb`). */
export function readableOn(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#1c2330' : '#ffffff';
}
