/** How the person wants the app: as the system says, or fixed. */
export type ThemeMode = 'system' | 'light' | 'dark';

const KEY = 'tidemark.theme';
const prefersDark = () => matchMedia('(prefers-color-scheme: dark)');

/** The mode of this browser, so that the right colors are there before the person's settings have loaded. */
export function storedTheme(): ThemeMode {
  const mode = readStored();
  return mode === 'light' || mode === 'dark' ? mode : 'system';
}

function readStored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    // storage is blocked
    return null;
  }
}

/** Shows a mode, and remembers it in this browser. */
export function applyTheme(mode: ThemeMode): void {
  document.documentElement.dataset['theme'] = mode === 'system' ? (prefersDark().matches ? 'dark' : 'light') : mode;
  try {
    localStorage.setItem(KEY, mode);
  } catch {
    // storage is blocked: the mode lasts as long as the page
  }
}

/** Follows the system while the mode says so. */
export function followSystemTheme(): void {
  applyTheme(storedTheme());
  prefersDark().addEventListener('change', () => applyTheme(storedTheme()));
}
