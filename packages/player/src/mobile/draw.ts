import { lookOf } from './looks.js';
import { type Fields, fieldsOf, imageOf, numberOf, textOf, wordOf } from './values.js';

/** An element of the drawing. No other tags and attributes exist, which keeps recordings harmless. */
export interface Drawn {
  tagName: 'div' | 'img';
  attributes: { class?: string; style?: string; src?: string };
  children: readonly (Drawn | string)[];
}

const FIELDS = ['text', 'password', 'email', 'number', 'search', 'tel', 'url'] as const;
const MARKS = ['checkbox', 'radio', 'toggle'] as const;
const STARS = 10;
const DOTS = 40;

/** Draws a wireframe without its children. Unknown types become a box. */
export function draw(frame: Fields): Drawn {
  switch (frame['type']) {
    case 'screenshot':
    case 'image': {
      const src = imageOf(frame['base64']);
      return src ? { tagName: 'img', attributes: { style: lookOf(frame), src }, children: [] } : placeholder(frame, 'Image');
    }
    case 'text':
      return box('text', frame, textOf(frame['text']));
    case 'placeholder':
      return placeholder(frame, textOf(frame['label']));
    case 'web_view':
      return placeholder(frame, 'Web page');
    case 'status_bar':
      return box('bar', frame);
    case 'navigation_bar':
      return box('bar', frame, part('', '◁'), part('', '○'), part('', '□'));
    case 'input':
      return input(frame);
    default:
      return box('', frame);
  }
}

function input(frame: Fields): Drawn {
  const value = textOf(frame['value']);
  const disabled = frame['disabled'] === true ? ' disabled' : '';
  const kind = frame['inputType'];
  const mark = wordOf(kind, MARKS);
  if (mark) {
    const sign = part(frame['checked'] === true ? 'mark on' : 'mark');
    const label = part('', textOf(frame['label']));
    return box(`choice ${mark}${disabled}`, frame, ...(mark === 'toggle' ? [label, sign] : [sign, label]));
  }
  if (kind === 'password') return box(`field${disabled}`, frame, '•'.repeat(Math.min(value.length, DOTS)));
  if (wordOf(kind, FIELDS)) return box(`field${disabled}`, frame, value);
  if (kind === 'text_area') return box(`area${disabled}`, frame, value);
  if (kind === 'button') return box(`button${disabled}`, frame, value);
  if (kind === 'select') return box(`select${disabled}`, frame, part('', value), part('', '▾'));
  return kind === 'progress' ? progress(frame, disabled) : box('', frame);
}

function progress(frame: Fields, disabled: string): Drawn {
  const value = numberOf(frame['value']);
  const most = numberOf(frame['max']) ?? 1;
  const bar = wordOf(fieldsOf(frame['style'])['bar'], ['rating', 'circular']) ?? 'horizontal';
  if (bar === 'rating') {
    const stars = within(Math.round(most), STARS);
    const full = within(Math.round(value ?? 0), stars);
    return box(`field${disabled}`, frame, '★'.repeat(full) + '☆'.repeat(stars - full));
  }
  const percent = value === undefined || !(most > 0) ? 30 : within((value / most) * 100, 100);
  const shape = bar === 'circular' ? 'conic-gradient(' : 'linear-gradient(90deg,';
  const filled = { ...part(''), attributes: { style: `background:${shape}currentColor ${percent.toFixed(1)}%,#8884 0)` } };
  return box(`progress ${bar}${value === undefined ? ' busy' : ''}${disabled}`, frame, filled);
}

const within = (value: number, most: number): number => Math.min(Math.max(0, value), most);

const placeholder = (frame: Fields, label: string): Drawn => box('placeholder', frame, label);

const box = (kind: string, frame: Fields, ...children: (Drawn | string)[]): Drawn => ({
  tagName: 'div',
  attributes: { ...(kind && { class: kind }), style: lookOf(frame) },
  children,
});

const part = (kind: string, ...children: string[]): Drawn => ({
  tagName: 'div',
  attributes: kind ? { class: kind } : {},
  children,
});
