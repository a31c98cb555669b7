import { element } from './dom.js';

/** What keys do. */
export interface KeyActions {
  turn(): void;
  /** Milliseconds, forwards or back. */
  skip(by: number): void;
  /** To the next moment of the list, or the one before. */
  step(by: 1 | -1): void;
  setSpeed(factor: number): void;
  /** Turns skipping of inactivity on or off. */
  toggleSkipping(): void;
  search(): void;
  /** Undefined: there is no address to copy. */
  copyLink: (() => void) | undefined;
  toggleFullScreen(): void;
}

/** Step of the arrow keys and of the buttons, milliseconds. */
export const STEP = 10_000;
export const SPEEDS = [1, 2, 4, 8];

/** Elements that take letters. */
const TYPED_INTO = 'input:not([type=range], [type=radio], [type=checkbox]), textarea, select, [contenteditable]';

/**
 * Listens to the keys of the player, and adds the sheet that lists them. Keys that are typed into a field, also one of the page around the
 * player, belong to the field. Returns a function that shows the sheet.
 */
export function listenToKeys(root: ParentNode, actions: KeyActions, signal: AbortSignal): () => void {
  const { turn, skip, step, setSpeed, toggleSkipping, search, copyLink, toggleFullScreen } = actions;
  const lines: [keys: string, does: string][] = [
    ['Space', 'Play or pause'],
    ['← →', '10 seconds back or ahead'],
    ['J K', 'Next or previous entry of the list'],
    ['1 2 4 8', 'Speed'],
    ['S', 'Skip inactivity, or not'],
    ['/', 'Search the list'],
    ...(copyLink ? [['C', 'Copy a link to this time'] satisfies [string, string]] : []),
    ['F', 'Full screen'],
    ['?', 'This list'],
  ];
  const rows = lines.flatMap(([keys, does]) => [
    element('dt', {}, ...keys.split(' ').map((key) => element('kbd', {}, key))),
    element('dd', {}, does),
  ]);
  const close = element('button', { type: 'button', className: 'plain' }, 'Close');
  const title = element('h2', { id: 'keys' }, 'Keys');
  const sheet = element('dialog', { 'aria-labelledby': 'keys' }, title, element('dl', {}, ...rows), close);
  close.addEventListener('click', () => sheet.close());
  root.append(sheet);
  const show = () => (sheet.open ? sheet.close() : sheet.showModal());

  const byKey: Record<string, (() => void) | undefined> = {
    ' ': turn,
    ArrowLeft: () => skip(-STEP),
    ArrowRight: () => skip(STEP),
    j: () => step(1),
    k: () => step(-1),
    s: toggleSkipping,
    '/': search,
    c: copyLink,
    f: toggleFullScreen,
    '?': show,
    ...Object.fromEntries(SPEEDS.map((factor) => [String(factor), () => setSpeed(factor)])),
  };
  const onKey = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    // outside the shadow root the target of its events is its host
    const [target] = event.composedPath();
    const action = byKey[key.length === 1 ? key.toLowerCase() : key];
    if (!action || ctrlKey || metaKey || altKey || event.defaultPrevented || (sheet.open && key !== '?')) return;
    // keys that the control with the focus needs itself
    const own = key === ' ' ? 'button, a, summary, [type=checkbox]' : key.startsWith('Arrow') ? 'input, [role=tab]' : 'none';
    if (target instanceof Element && (target.matches(own) || target.matches(TYPED_INTO))) return;
    event.preventDefault();
    action();
  };
  addEventListener('keydown', onKey, { signal });
  return show;
}
