import { element, type Icon, iconOf, publicAddress, write } from './dom.js';
import { lengthOf } from './lengths.js';
import type { Standing } from './playback.js';

/** Something that is known of the session, such as its browser. */
export interface Fact {
  /** What it is: `Browser`, for the title and screen readers. */
  label: string;
  value: string;
  /** Default: no icon. */
  icon?: Extract<Icon, 'person' | 'browser' | 'device' | 'place' | 'length' | 'page' | 'click' | 'error'>;
}

export interface Head {
  element: HTMLElement;
  show(standing: Standing): void;
  /** Copies the address of the current time. */
  copyLink(): void;
}

const COPIED_MS = 2_000;

/** The row above the picture: facts of the session, the address of its page, and the button that copies a link to this time. */
export function createHead(facts: readonly Fact[], linkTo: ((seconds: number) => string) | undefined): Head {
  const size = element('span');
  const window = chip('Window', 'device', size);
  window.hidden = true;
  const address = element('p', { className: 'address', title: 'Page', dir: 'ltr' });
  const list = element('ul', { className: 'facts', 'aria-label': 'About the session' });
  list.append(...facts.map(({ label, value, icon }) => chip(label, icon, element('bdi', {}, value))), window);
  const says = element('span', {});
  const copying = element('button', { type: 'button', className: 'plain copy' }, iconOf('link'), says);
  copying.hidden = linkTo === undefined;
  const written = element('input', { className: 'link', readOnly: true, hidden: true, ariaLabel: 'Link to this time' });
  let seconds = 0;
  let isOutcome = false;
  const name = () => {
    if (!isOutcome) write(says, `Copy link from ${lengthOf(seconds * 1000)}`);
  };
  const copyLink = () => {
    if (!linkTo) return;
    const link = linkTo(seconds);
    written.hidden = true;
    const outcome = (text: string) => {
      isOutcome = true;
      write(says, text);
      setTimeout(() => {
        isOutcome = false;
        name();
      }, COPIED_MS);
    };
    // the API is missing on pages without HTTPS, and refused in some iframes
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(link))
      .then(
        () => outcome('Copied'),
        () => {
          written.value = link;
          written.hidden = false;
          written.select();
          outcome('Copy by hand');
        },
      );
  };
  copying.addEventListener('click', copyLink);
  name();

  return {
    element: element('header', { className: 'head' }, list, address, copying, written),
    copyLink,
    show: (standing) => {
      write(address, publicAddress(standing.address));
      address.hidden = address.textContent === '';
      if (standing.size) write(size, `${standing.size.width} × ${standing.size.height}`);
      window.hidden = standing.size === null;
      seconds = Math.floor(standing.time / 1000);
      name();
    },
  };
}

const chip = (label: string, icon: Icon | undefined, value: HTMLElement) =>
  element(
    'li',
    { title: label },
    ...(icon ? [iconOf(icon)] : []),
    element('span', { className: 'hidden-label' }, `${label}: `),
    value,
  );
