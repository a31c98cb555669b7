import { lengthInWords, lengthOf } from './lengths.js';
import type { Playback, Standing } from './playback.js';

const SPEEDS = [1, 2, 4, 8];
/** Step of the arrow keys, milliseconds. */
const STEP = 5_000;

const ICONS = {
  play: 'M7 4.5v15l13-7.5z',
  pause: 'M6 4h4v16H6zm8 0h4v16h-4z',
  again: 'M12 5V1L6 6l6 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  full: 'M4 4h6v2H6v4H4zm10 0h6v6h-2V6h-4zM4 14h2v4h4v2H4zm14 0h2v6h-6v-2h4z',
};

export interface Controls {
  /** The element that the recorded page is drawn into. */
  stage: HTMLElement;
  /** Connects the controls to a recording. */
  steer(playback: Playback): void;
  /** Shows the state of the playback. */
  show(standing: Standing): void;
  /** Shows a message instead of the recording. `again`: called by a button for a retry. */
  say(text: string | null, again?: () => void): void;
}

/** Creates the stage and the controls in an element. */
export function createControls(root: HTMLElement): Controls {
  const stage = element('div', { className: 'stage' });
  const start = iconButton('start', 'Play the recording', 'play');
  const says = element('div', { className: 'says', hidden: true });
  says.setAttribute('role', 'status');
  const address = element('p', { className: 'address' });
  const toggle = iconButton('toggle', 'Play', 'play');
  const bar = element('input', { type: 'range', min: '0', step: 'any', value: '0', disabled: true });
  bar.setAttribute('aria-label', 'Position in the recording');
  const time = element('span', { className: 'time' });
  const speed = element('select', {});
  speed.append(...SPEEDS.map((factor) => element('option', { value: String(factor), textContent: `${factor}×` })));
  const skipping = element('input', { type: 'checkbox', checked: true });
  const full = iconButton('full', 'Full screen', 'full');
  full.hidden = !document.fullscreenEnabled;
  start.hidden = true;

  const upper = element('div', { className: 'bar' });
  upper.append(toggle, bar, time, full);
  const lower = element('div', { className: 'more' });
  lower.append(labelled('Speed', speed), labelled('Skip inactivity', skipping));
  const below = element('div', { className: 'below' });
  below.append(address, upper, lower);
  stage.append(start, says);
  root.append(stage, below);

  let isDragging = false;
  let length = 0;
  let hasBegun = false;
  let isPlaying = false;
  const tell = (ms: number) => {
    write(time, `${lengthOf(ms)} / ${lengthOf(length)}`);
    bar.setAttribute('aria-valuetext', `${lengthInWords(ms)} of ${lengthInWords(length)}`);
  };

  return {
    stage,
    steer: (playback) => {
      length = playback.length;
      bar.max = String(length);
      bar.disabled = false;
      tell(0);
      const turn = () => {
        if (isPlaying) playback.pause();
        else playback.play();
      };
      toggle.addEventListener('click', turn);
      start.addEventListener('click', () => {
        playback.play();
        toggle.focus();
      });
      bar.addEventListener('input', () => {
        isDragging = true;
        tell(Number(bar.value));
      });
      bar.addEventListener('change', () => {
        isDragging = false;
        playback.seek(Number(bar.value));
      });
      bar.addEventListener('keydown', (event) => {
        const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        playback.seek(Number(bar.value) + steps * STEP);
      });
      addEventListener('keydown', (event) => {
        const isForControl = event.target instanceof Element && event.target.matches('button, select, [type=checkbox]');
        if (event.key !== ' ' || isForControl) return;
        event.preventDefault();
        turn();
      });
      speed.addEventListener('change', () => playback.setSpeed(Number(speed.value)));
      skipping.addEventListener('change', () => playback.setSkipping(skipping.checked));
      full.addEventListener('click', () => {
        // the browser refuses in an iframe without permission
        const done = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
        done.catch(() => {});
      });
    },
    show: (standing) => {
      hasBegun ||= standing.isPlaying;
      start.hidden = hasBegun || standing.isWaiting || standing.fault !== null;
      isPlaying = standing.isPlaying;
      const [label, icon] = standing.isPlaying
        ? (['Pause', 'pause'] as const)
        : standing.isEnded
          ? (['Play again', 'again'] as const)
          : (['Play', 'play'] as const);
      if (toggle.ariaLabel !== label) {
        toggle.ariaLabel = label;
        toggle.replaceChildren(iconOf(icon));
      }
      write(address, pageOf(standing.address));
      if (isDragging) return;
      tell(standing.time);
      bar.value = String(standing.time);
    },
    say: (text, again) => {
      says.hidden = text === null;
      if (text === null) return;
      const sentence = element('p', { textContent: text });
      if (!again) return says.replaceChildren(sentence);
      const button = element('button', { type: 'button', textContent: 'Try again' });
      button.addEventListener('click', again);
      says.replaceChildren(sentence, button);
    },
  };
}

/** An address without query, fragment and credentials, which may be private; the screen name of a mobile application unchanged. */
function pageOf(address: string): string {
  if (!URL.canParse(address)) return /[/?#]/.test(address) ? '' : address;
  const { protocol, host, pathname } = new URL(address);
  return host ? `${protocol}//${host}${pathname}` : '';
}

function write(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
): HTMLElementTagNameMap[K] {
  return Object.assign(document.createElement(name), properties);
}

function labelled(text: string, control: HTMLElement): HTMLLabelElement {
  const label = element('label', {});
  label.append(text, control);
  return label;
}

function iconButton(className: string, label: string, icon: keyof typeof ICONS): HTMLButtonElement {
  const button = element('button', { type: 'button', className, ariaLabel: label });
  button.append(iconOf(icon));
  return button;
}

function iconOf(name: keyof typeof ICONS): SVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', ICONS[name]);
  path.setAttribute('fill', 'currentColor');
  svg.append(path);
  return svg;
}
