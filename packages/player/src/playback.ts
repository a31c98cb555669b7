import { Replayer } from 'rrweb';
import { CANVAS_SIZE } from './canvas.js';
import type { Line } from './lines.js';
import { createMoments, type Moments } from './moments.js';
import type { Pieces } from './pieces.js';
import { createTimeline, hasPicture, pictured, type Track } from './timeline.js';

/** State of the playback. Times are milliseconds from the start of the recording. */
export interface Standing {
  time: number;
  isPlaying: boolean;
  /** Playback waits for events that are being fetched. */
  isWaiting: boolean;
  isEnded: boolean;
  /** Address of the current page. */
  address: string;
  /** Size of the recorded window, pixels; null: not known yet. */
  size: { width: number; height: number } | null;
  /** The error that stopped playback; null: none. */
  fault: unknown;
}

export interface Playback {
  /** Start of the recording, epoch milliseconds. */
  begin: number;
  /** Length of the recording, milliseconds. */
  length: number;
  /** What happened in the parts that are fetched. */
  moments: Moments;
  /** Whether all parts are fetched. */
  isComplete(): boolean;
  /** Fetches the parts that wait for the first `play`. */
  fetchRest(): void;
  play(): void;
  pause(): void;
  /** Seeks to a time, and fetches its events when they are missing. */
  seek(time: number): void;
  setSpeed(speed: number): void;
  setSkipping(isOn: boolean): void;
  /** Stops the playback and its listeners. */
  destroy(): void;
}

/** The recording has events but no full snapshot to apply them to. */
export class NoPicture extends Error {}

interface Screen {
  track: Track;
  root: HTMLElement;
  replayer: Replayer;
}

/**
 * Plays a recording in an element. Pieces are fetched in order; all but the first wait for the first `play`. Seeking to a time that is
 * not fetched restarts with the piece of that time and the earlier ones back to a full snapshot. It starts at `at`, milliseconds from
 * the start of the recording.
 */
export function createPlayback(
  stage: HTMLElement,
  pieces: Pieces,
  { onChange, onFetched, at = 0 }: { onChange: (standing: Standing) => void; onFetched: () => void; at?: number },
): Playback {
  const begin = pieces.list[0]?.start ?? 0;
  const finish = Math.max(begin, ...pieces.list.map(({ end }) => end));
  const startAt = Math.min(Math.max(0, at), finish - begin);
  let standing: Standing = {
    time: startAt,
    isPlaying: false,
    isWaiting: true,
    isEnded: false,
    address: '',
    size: null,
    fault: null,
  };
  let speed = 1;
  let isSkipping = true;
  /** Number of the current restart. Results of fetches of earlier ones are discarded. */
  let part = 0;
  let timeline = createTimeline();
  const screens = new Map<Track, Screen>();
  let shown: Screen | undefined;
  /** Range of times whose events are all fetched. */
  let fetched = { from: begin, to: begin };
  /** The error that stopped fetching; null: fetching continues. */
  let broken: unknown = null;
  const moments = createMoments();
  /** Indexes of the pieces whose moments are known. */
  const known = new Set<number>();
  let wanted: () => void = () => {};
  const isWanted = new Promise<void>((resolve) => {
    wanted = resolve;
  });

  const change = (changes: Partial<Standing>) => {
    standing = { ...standing, ...changes };
    onChange(standing);
  };
  const now = () => begin + standing.time;

  async function beginAt(time: number): Promise<void> {
    const mine = ++part;
    for (const { replayer, root } of screens.values()) {
      replayer.destroy();
      root.remove();
    }
    screens.clear();
    shown = undefined;
    timeline = createTimeline();
    broken = null;
    change({ isWaiting: true, fault: null });
    try {
      const index = pieces.list.findLastIndex(({ start }) => start <= time);
      let first = Math.max(0, index);
      let next = first + 1;
      let lines: readonly Line[] = await pieces.load(first);
      while (first > 0 && mine === part && !hasPicture(lines, time)) lines = [...(await pieces.load(--first)), ...lines];
      while (mine === part) {
        timeline.add(lines, (track, event) => screens.get(track)?.replayer.addEvent(event), moments.add);
        for (let index = first; index < next; index++) known.add(index);
        onFetched();
        const start = timeline.start();
        const from = first === 0 ? Number.NEGATIVE_INFINITY : (start ?? time);
        fetched = { from, to: pieces.list[next]?.start ?? Number.POSITIVE_INFINITY };
        if (start !== undefined && standing.isWaiting && now() <= fetched.to) show(now());
        if (next >= pieces.list.length) {
          if (start === undefined) throw new NoPicture();
          return;
        }
        if (start !== undefined) await isWanted;
        lines = await pieces.load(next++);
      }
    } catch (fault) {
      if (mine !== part) return;
      // fetched events are played to their end first
      if (standing.isWaiting) fail(fault);
      else broken = fault;
    }
  }

  function fail(fault: unknown): void {
    shown?.replayer.pause();
    change({ isPlaying: false, isWaiting: false, fault });
  }

  function screenOf(track: Track): Screen {
    const known = screens.get(track);
    if (known) return known;
    const root = document.createElement('div');
    root.className = 'screen';
    stage.append(root);
    const replayer = new Replayer(track.events, {
      root,
      speed,
      skipInactive: isSkipping,
      mouseTail: false,
      insertStyleRules: [CANVAS_SIZE],
      // keeps keyboard focus on the controls
      triggerFocus: false,
      showWarning: false,
    });
    replayer.iframe.title = 'The recorded page';
    replayer.iframe.inert = true;
    const screen = { track, root, replayer };
    screens.set(track, screen);
    replayer.on('resize', () => fit(screen));
    replayer.on('finish', () => {
      if (shown === screen && standing.isPlaying) goOn();
    });
    return screen;
  }

  function show(time: number): void {
    const track = timeline.trackAt(time);
    const from = track?.events[0]?.timestamp;
    if (!track || from === undefined) return;
    try {
      const screen = screenOf(track);
      if (shown !== screen) {
        shown?.replayer.pause();
        for (const one of screens.values()) one.root.hidden = one !== screen;
        shown = screen;
      }
      const offset = pictured(track, Math.max(from, time)) - from;
      if (standing.isPlaying) screen.replayer.play(offset);
      else screen.replayer.pause(offset);
      fit(screen);
      change({ time: time - begin, isWaiting: false, isEnded: false, fault: null, address: addressOf(track, time) });
    } catch (fault) {
      fail(fault);
    }
  }

  /** Continues after the last event of a window: with the next window, the end, or more events. */
  function goOn(): void {
    const next = timeline.nextChange(now());
    if (next !== undefined && next <= fetched.to) show(next);
    else if (fetched.to === Number.POSITIVE_INFINITY) {
      shown?.replayer.pause();
      change({ time: finish - begin, isPlaying: false, isEnded: true });
    } else wait();
  }

  /** Pauses until more events are fetched. */
  function wait(): void {
    shown?.replayer.pause();
    if (broken) fail(broken);
    else change({ isWaiting: true });
  }

  function tick(): void {
    frame = requestAnimationFrame(tick);
    if (!standing.isPlaying || standing.isWaiting || !shown) return;
    const { track, replayer } = shown;
    const time = (track.events[0]?.timestamp ?? begin) + replayer.getCurrentTime();
    const last = track.events.at(-1)?.timestamp ?? time;
    change({ time: Math.min(time, finish) - begin, address: addressOf(track, time) });
    if (timeline.trackAt(time) !== track) show(time);
    else if (time > last) goOn();
  }

  function fit({ root, replayer: { wrapper, iframe } }: Screen): void {
    const [width, height] = [Number(iframe.width) || 1, Number(iframe.height) || 1];
    if (standing.size?.width !== width || standing.size.height !== height) change({ size: { width, height } });
    const room = stage.getBoundingClientRect();
    const scale = Math.min(room.width / width, room.height / height);
    wrapper.style.transform = `scale(${scale})`;
    root.style.width = `${width * scale}px`;
    root.style.height = `${height * scale}px`;
  }

  function seek(time: number): void {
    const wish = Math.min(Math.max(0, time), finish - begin);
    change({ time: wish, isEnded: false });
    const isFetched = timeline.start() !== undefined && fetched.from <= now() && now() <= fetched.to;
    if (isFetched && standing.fault === null) show(now());
    else void beginAt(now());
  }

  const resizes = new ResizeObserver(() => shown && fit(shown));
  resizes.observe(stage);
  const onError = ({ error }: ErrorEvent) => error instanceof Error && fail(error);
  addEventListener('error', onError);
  let frame = 0;
  tick();
  void beginAt(begin + startAt);

  return {
    begin,
    length: finish - begin,
    moments,
    isComplete: () => known.size === pieces.list.length,
    fetchRest: () => wanted(),
    seek,
    play: () => {
      wanted();
      const time = standing.isEnded ? 0 : standing.time;
      change({ isPlaying: true });
      if (standing.isWaiting) return;
      seek(time);
    },
    pause: () => {
      change({ isPlaying: false });
      shown?.replayer.pause();
    },
    setSpeed: (chosen) => {
      speed = chosen;
      for (const { replayer } of screens.values()) replayer.setConfig({ speed });
    },
    setSkipping: (isOn) => {
      isSkipping = isOn;
      for (const { replayer } of screens.values()) replayer.setConfig({ skipInactive: isOn });
    },
    destroy: () => {
      // results of fetches that are under way are discarded
      part++;
      cancelAnimationFrame(frame);
      resizes.disconnect();
      removeEventListener('error', onError);
      shown = undefined;
      for (const { replayer } of screens.values()) replayer.destroy();
      screens.clear();
    },
  };
}

const addressOf = ({ addresses }: Track, time: number): string =>
  (addresses.findLast(({ at }) => at <= time) ?? addresses[0])?.address ?? '';
