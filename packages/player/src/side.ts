import { element, iconOf, write } from './dom.js';
import { createFilters } from './filters.js';
import { lengthOf } from './lengths.js';
import type { Moment } from './moments.js';
import type { Playback } from './playback.js';

type Panel = Moment['panel'];
const PANELS: readonly (readonly [Panel, string])[] = [
  ['events', 'Events'],
  ['console', 'Console'],
  ['network', 'Network'],
];

/** The list of what happened, beside the picture: tabs for events, lines of the console and requests. */
export interface Side {
  element: HTMLElement;
  /** Lists the moments of the playback. */
  list(playback: Playback, moments: readonly Moment[]): void;
  /** Marks the moment at a time, in milliseconds from the start. */
  mark(time: number): void;
  /** Returns the start of the moment after or before a time, in milliseconds from the start. */
  neighbour(time: number, step: 1 | -1): number | undefined;
  focusSearch(): void;
}

export function createSide(): Side {
  const tabs = element('div', { className: 'tabs', role: 'tablist', 'aria-label': 'What happened' });
  const items = element('ol', { className: 'moments' });
  const more = element('p', { className: 'rest' });
  const panel = element('div', { className: 'panel', role: 'tabpanel', id: 'panel', tabIndex: 0 }, items, more);
  const filters = createFilters(() => draw());
  const side = element('section', { className: 'side', 'aria-label': 'What happened' }, tabs, filters.element, panel);
  let chosen: Panel = 'events';
  let all: readonly Moment[] = [];
  let shown: { at: number; button: HTMLButtonElement }[] = [];
  let playback: Playback | undefined;
  let marked: HTMLElement | undefined;

  const buttons = new Map(
    PANELS.map(([name, title]) => {
      const count = element('span', { className: 'count' });
      const tab = element(
        'button',
        { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': 'panel' },
        `${title} `,
        count,
      );
      tab.addEventListener('click', () => choose(name));
      tabs.append(tab);
      return [name, { tab, count }];
    }),
  );
  const open = () => PANELS.map(([name]) => name).filter((name) => !buttons.get(name)?.tab.hidden);
  const choose = (name: Panel) => {
    if (name !== chosen) filters.open(name);
    chosen = name;
    draw();
  };
  tabs.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const names = open();
    const next = step && names.at((names.indexOf(chosen) + step) % names.length);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    choose(next);
    buttons.get(next)?.tab.focus();
  });

  const draw = () => {
    for (const [name, { tab, count }] of buttons) {
      const length = all.filter(({ panel: of }) => of === name).length;
      tab.hidden = length === 0 && name !== 'events';
      tab.setAttribute('aria-selected', String(name === chosen));
      tab.tabIndex = name === chosen ? 0 : -1;
      write(count, length ? length.toLocaleString('en') : '');
    }
    panel.setAttribute('aria-labelledby', `tab-${chosen}`);
    const begin = playback?.begin ?? 0;
    shown = all
      .filter((moment) => moment.panel === chosen && filters.matches(moment))
      .map((moment) => ({ at: Math.max(0, moment.at - begin), button: buttonOf(moment, moment.at - begin) }));
    marked = undefined;
    items.replaceChildren(...shown.map(({ button }) => element('li', {}, button)));
    drawRest();
  };
  const buttonOf = ({ kind, title, detail }: Moment, time: number) => {
    const words = element(
      'span',
      { className: 'words' },
      element('b', {}, title),
      detail && element('span', { dir: 'auto' }, detail),
    );
    const at = element('time', {}, lengthOf(Math.max(0, time)));
    const button = element('button', { type: 'button', className: `moment ${kind}` }, at, iconOf(kind), words);
    button.addEventListener('click', () => playback?.seek(time));
    return button;
  };
  const drawRest = () => {
    const isComplete = playback?.isComplete() ?? false;
    more.hidden = isComplete && shown.length > 0;
    if (isComplete && filters.isActive()) {
      const clear = element('button', { type: 'button' }, 'Show all');
      clear.addEventListener('click', filters.clear);
      return more.replaceChildren('Nothing here matches. ', clear);
    }
    if (isComplete) return more.replaceChildren('Nothing was recorded here.');
    const button = element('button', { type: 'button' }, 'List all');
    button.addEventListener('click', () => {
      playback?.fetchRest();
      more.replaceChildren('Loading the rest');
    });
    more.replaceChildren('Later parts are listed when they are loaded. ', button);
  };

  return {
    element: side,
    focusSearch: filters.focus,
    list: (of, moments) => {
      playback = of;
      all = moments;
      draw();
    },
    mark: (time) => {
      // a seek to a moment stands a little later than the moment itself
      const now = shown.findLast(({ at }) => at <= time + 20)?.button;
      if (now === marked) return;
      marked?.removeAttribute('aria-current');
      now?.setAttribute('aria-current', 'true');
      marked = now;
      if (!now || panel.matches(':hover, :focus-within')) return;
      const [entry, view] = [now.getBoundingClientRect(), panel.getBoundingClientRect()];
      const isSeen = entry.top >= view.top && entry.bottom <= view.bottom;
      if (!isSeen) panel.scrollTop += entry.top - view.top - view.height / 3;
    },
    neighbour: (time, step) =>
      (step > 0 ? shown.find(({ at }) => at > time + 20) : shown.findLast(({ at }) => at < time - 500))?.at,
  };
}
