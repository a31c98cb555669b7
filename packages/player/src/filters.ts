import { element } from './dom.js';
import type { Moment } from './moments.js';

type Panel = Moment['panel'];

/** Choices of each panel: a name, and the kinds or levels of its moments. */
const CHOICES: Record<Panel, readonly (readonly [name: string, kinds: readonly string[]])[]> = {
  events: [
    ['Everything', []],
    ['Page views', ['page']],
    ['Clicks', ['click', 'rage']],
    ['Rage clicks', ['rage']],
    ['Typing', ['typed']],
    ['Errors', ['error']],
  ],
  console: [
    ['All levels', []],
    ['Errors', ['error', 'assert']],
    ['Warnings', ['warn']],
    ['Information', ['info', 'log', 'debug', 'trace']],
  ],
  network: [
    ['All requests', []],
    ['Failed', ['error']],
  ],
};

/** The row that narrows a list: a text and a kind, a level or an outcome. */
export interface Filters {
  element: HTMLElement;
  /** Offers the choices of a panel. The text stays. */
  open(panel: Panel): void;
  /** Whether a moment of the open panel is listed. */
  matches(moment: Moment): boolean;
  isActive(): boolean;
  clear(): void;
  focus(): void;
}

export function createFilters(onChange: () => void): Filters {
  const search = element('input', { type: 'search', placeholder: 'Search', ariaLabel: 'Search the list' });
  const kind = element('select', { ariaLabel: 'Show' });
  let opened: Panel = 'events';
  search.addEventListener('input', onChange);
  search.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !search.value) return;
    event.preventDefault();
    event.stopPropagation();
    search.value = '';
    onChange();
  });
  kind.addEventListener('change', onChange);
  const open = (panel: Panel) => {
    opened = panel;
    kind.replaceChildren(...CHOICES[panel].map(([name], index) => element('option', { value: String(index) }, name)));
  };
  open('events');

  return {
    element: element('div', { className: 'filters', role: 'search' }, search, kind),
    open,
    matches: ({ kind: own, title, detail }) => {
      const kinds = CHOICES[opened][Number(kind.value)]?.[1] ?? [];
      // the level of a line of the console is its title
      const isChosen = kinds.length === 0 || kinds.includes(opened === 'console' ? title : own);
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const text = `${title} ${detail}`.toLowerCase();
      return isChosen && words.every((word) => text.includes(word));
    },
    isActive: () => search.value.trim() !== '' || Number(kind.value) > 0,
    clear: () => {
      search.value = '';
      kind.value = '0';
      onChange();
    },
    focus: () => search.focus(),
  };
}
