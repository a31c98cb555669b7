import { element } from './dom.js';

/** What keys do. */
export interface KeyActions {
  turn(): void;
  /** Milliseconds, forwards or back. */
  skip(by: number): void;
  /** To the next moment of the list, or the one before. */
  step(by: 1 | -1): void;
  setSpeed(factor: number): void;
  toggleFullScreen(): void;
}

/** Step of the arrow keys and of the buttons, milliseconds. */
export const STEP = 10_000;
export const SPEEDS = [1, 2, 4, 8];

const SHEET: readonly (readonly [keys: string, does: string])[] = [
  ['Space', 'Play or pause'],
  ['← →', '10 seconds back or ahead'],
  ['J K', 'Next or previous entry of the list'],
  ['1 2 4 8', 'Speed'],
  ['F', 'Full screen'],
  ['?', 'This list'],
];

/** Listens to the keys of the player, and adds the sheet that lists them. Returns a function that shows the sheet. */
export function listenToKeys(root: HTMLElement, { turn, skip, step, setSpeed, toggleFullScreen }: KeyActions): () => void {
  const rows = SHEET.flatMap(([keys, does]) => [
    element('dt', {}, ...keys.split(' ').map((key) => element('kbd', {}, key))),
    element('dd', {}, does),
  ]);
  const close = element('button', { type: 'button', className: 'plain' }, 'Close');
  const title = element('h2', { id: 'keys' }, 'Keys');
  const sheet = element('dialog', { 'aria-labelledby': 'keys' }, title, element('dl', {}, ...rows), close);
  close.addEventListener('click', () => sheet.close());
  root.append(sheet);
  const show = () => (sheet.open ? sheet.close() : sheet.showModal());

  const actions: Record<string, () => void> = {
    ' ': turn,
    ArrowLeft: () => skip(-STEP),
    ArrowRight: () => skip(STEP),
    j: () => step(1),
    k: () => step(-1),
    f: toggleFullScreen,
    '?': show,
    ...Object.fromEntries(SPEEDS.map((factor) => [String(factor), () => setSpeed(factor)])),
  };
  addEventListener('keydown', (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    const action = actions[key.length === 1 ? key.toLowerCase() : key];
    if (!action || ctrlKey || metaKey || altKey || event.defaultPrevented || (sheet.open && key !== '?')) return;
    // keys that the control with the focus needs itself
    const own = key === ' ' ? 'button, [type=checkbox]' : key.startsWith('Arrow') ? 'input, [role=tab]' : 'none';
    if (target instanceof Element && target.matches(own)) return;
    event.preventDefault();
    action();
  });
  return show;
}
