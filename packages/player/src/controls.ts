import { element, type Icon, iconOf, write } from './dom.js';
import { createHead, type Fact } from './head.js';
import { listenToKeys, SPEEDS, STEP } from './keys.js';
import { lengthInWords, lengthOf } from './lengths.js';
import { drawMarks } from './marks.js';
import type { Playback, Standing } from './playback.js';
import { createSide } from './side.js';

export interface Controls {
  /** The element that the recorded page is drawn into. */
  stage: HTMLElement;
  /** Connects the controls to a recording. */
  steer(playback: Playback): void;
  /** Shows the state of the playback. */
  show(standing: Standing): void;
  /** Lists and marks what happened in the parts that are fetched. */
  showMoments(): void;
  /** Shows a message instead of the recording. `again`: called by a button for a retry. */
  say(text: string | null, again?: () => void): void;
}

export interface ControlOptions {
  facts: readonly Fact[];
  linkTo: ((seconds: number) => string) | undefined;
  /** Aborted when the player is removed. */
  signal: AbortSignal;
}

/** Creates the head, the stage, the controls and the list of what happened in the shadow root of an element. */
export function createControls(root: ShadowRoot, host: HTMLElement, { facts, linkTo, signal }: ControlOptions): Controls {
  const stage = element('div', { className: 'stage' });
  const start = iconButton('start', 'Play the recording', 'play');
  const says = element('div', { className: 'says', role: 'status', hidden: true });
  const head = createHead(facts, linkTo);
  const toggle = iconButton('toggle', 'Play', 'play');
  const back = iconButton('', '10 s back', 'back', '10 s');
  const ahead = iconButton('', '10 s ahead', 'ahead', '10 s');
  const marks = element('div', { className: 'marks', 'aria-hidden': 'true' });
  const bar = element('input', { type: 'range', min: '0', step: 'any', value: '0', disabled: true });
  bar.setAttribute('aria-label', 'Position in the recording');
  const time = element('span', { className: 'time' });
  const speeds = SPEEDS.map((factor) => {
    const input = element('input', { type: 'radio', name: 'speed', value: String(factor), checked: factor === 1 });
    return { factor, input, label: element('label', {}, input, element('span', {}, `${factor}×`)) };
  });
  const speed = element('div', { className: 'speeds', role: 'radiogroup', 'aria-label': 'Speed' });
  speed.append(...speeds.map(({ label }) => label));
  const skipping = element('input', { type: 'checkbox', role: 'switch', checked: true });
  const full = iconButton('', 'Full screen', 'full');
  full.hidden = !document.fullscreenEnabled;
  const help = element('button', { type: 'button', className: 'help', ariaLabel: 'Keys' }, '?');
  start.hidden = true;

  const side = createSide();
  const rail = element('div', { className: 'rail' }, marks, bar);
  const lower = element('div', { className: 'row' }, toggle, back, ahead, time);
  const label = element('label', { className: 'skip' }, skipping, element('span', {}, 'Skip inactivity'));
  lower.append(element('div', { className: 'more' }, label, speed, full, help));
  const below = element('div', { className: 'below' }, rail, lower);
  stage.append(start, says);
  root.replaceChildren(element('div', { className: 'play' }, head.element, stage, below), side.element);

  let playback: Playback | undefined;
  let isDragging = false;
  let length = 0;
  let hasBegun = false;
  let isPlaying = false;
  const tell = (ms: number) => {
    write(time, `${lengthOf(ms)} / ${lengthOf(length)}`);
    bar.setAttribute('aria-valuetext', `${lengthInWords(ms)} of ${lengthInWords(length)}`);
    bar.style.setProperty('--done', `${(100 * ms) / Math.max(1, length)}%`);
  };
  const showMoments = () => {
    if (!playback) return;
    const list = playback.moments.list();
    side.list(playback, list);
    side.mark(Number(bar.value));
    drawMarks(marks, list, playback.moments.inputs(), playback);
  };

  return {
    stage,
    showMoments,
    steer: (of) => {
      playback = of;
      length = of.length;
      bar.max = String(length);
      bar.disabled = false;
      if (!isDragging) tell(Number(bar.value));
      showMoments();
      const seek = (ms: number) => {
        // the button would cover what the person has chosen to see
        hasBegun = true;
        of.seek(ms);
      };
      const skip = (by: number) => seek(Number(bar.value) + by);
      const turn = () => {
        if (isPlaying) of.pause();
        else of.play();
      };
      const setSpeed = (factor: number) => {
        for (const { input, factor: own } of speeds) input.checked = own === factor;
        of.setSpeed(factor);
      };
      const toggleFullScreen = () => {
        // the browser refuses in an iframe without permission
        const done = document.fullscreenElement ? document.exitFullscreen() : host.requestFullscreen();
        done.catch(() => {});
      };
      const step = (by: 1 | -1) => {
        const at = side.neighbour(Number(bar.value), by);
        if (at !== undefined) seek(at);
      };
      const setSkipping = (isOn: boolean) => {
        skipping.checked = isOn;
        of.setSkipping(isOn);
      };
      const toggleSkipping = () => setSkipping(!skipping.checked);
      const { focusSearch: search } = side;
      const copyLink = linkTo && head.copyLink;
      const actions = { turn, skip, step, setSpeed, toggleSkipping, search, copyLink, toggleFullScreen };
      const showKeys = listenToKeys(root, actions, signal);
      help.addEventListener('click', showKeys);
      toggle.addEventListener('click', turn);
      back.addEventListener('click', () => skip(-STEP));
      ahead.addEventListener('click', () => skip(STEP));
      start.addEventListener('click', () => {
        of.play();
        toggle.focus();
      });
      side.element.addEventListener(
        'click',
        ({ target }) => {
          hasBegun ||= target instanceof Element && target.closest('.moment') !== null;
        },
        true,
      );
      bar.addEventListener('input', () => {
        isDragging = true;
        tell(Number(bar.value));
      });
      bar.addEventListener('change', () => {
        isDragging = false;
        seek(Number(bar.value));
      });
      bar.addEventListener('keydown', (event) => {
        const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        skip(steps * STEP);
      });
      for (const { input, factor } of speeds) input.addEventListener('change', () => setSpeed(factor));
      skipping.addEventListener('change', () => setSkipping(skipping.checked));
      full.addEventListener('click', toggleFullScreen);
    },
    show: (standing) => {
      // neither does it cover the picture of a time that the link has chosen
      hasBegun ||= standing.isPlaying || standing.time > 0;
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
      head.show(standing);
      if (isDragging) return;
      tell(standing.time);
      bar.value = String(standing.time);
      side.mark(standing.time);
    },
    say: (text, again) => {
      says.hidden = text === null;
      if (text === null) return;
      const sentence = element('p', {}, text);
      if (!again) return says.replaceChildren(sentence);
      const button = element('button', { type: 'button', className: 'plain' }, 'Try again');
      button.addEventListener('click', again);
      says.replaceChildren(sentence, button);
    },
  };
}

function iconButton(className: string, label: string, icon: Icon, text = ''): HTMLButtonElement {
  return element('button', { type: 'button', className, ariaLabel: label }, iconOf(icon), text);
}
