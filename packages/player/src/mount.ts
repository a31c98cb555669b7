/// <reference path="./css.d.ts" />
import cursor from 'rrweb/dist/style.css';
import { createControls } from './controls.js';
import type { Fact } from './head.js';
import { LoadError, openPieces } from './pieces.js';
import { createPlayback, NoPicture, type Playback, type Standing } from './playback.js';
import styles from './player.css';

export interface PlayerOptions {
  /** Address of the recording's snapshots: `…/session_recordings/<id>/snapshots/`, or `/shared/<token>/snapshots`. */
  snapshots: string;
  /** What is known of the session, shown above the picture. The player adds the size of the window and the current page. */
  facts?: readonly Fact[];
  /** Where playback starts, seconds from the start of the recording. */
  at?: number;
  /** The address that opens the recording at a time, for the button that copies it. Default: no button. */
  linkTo?: (seconds: number) => string;
}

export interface Player {
  /** The current time, seconds from the start of the recording. */
  time(): number;
  /** Seeks to a time, seconds from the start of the recording. */
  seek(seconds: number): void;
  /** Removes the player and its listeners. The element can be used again. */
  destroy(): void;
}

const GONE =
  'Nothing of this recording is left to play: recordings are deleted when they are older than their project keeps them.';

/**
 * Shows the player of a recording in an element, which gives it its size. Its tree is a shadow root, so that styles of the page do not
 * apply. The colors are the page's custom properties (`--surface`, `--text`, `--accent` and so on).
 */
export function mount(element: HTMLElement, { snapshots, facts = [], at = 0, linkTo }: PlayerOptions): Player {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(cursor + styles);
  root.adoptedStyleSheets = [sheet];
  const ended = new AbortController();
  const controls = createControls(root, element, { facts, linkTo, signal: ended.signal });
  let playback: Playback | undefined;
  let time = at * 1000;

  const open = async () => {
    controls.say('Loading');
    try {
      const pieces = await openPieces(snapshots);
      if (ended.signal.aborted) return;
      if (pieces.list.length === 0) return controls.say(GONE);
      const onChange = (standing: Standing) => {
        time = standing.time;
        controls.show(standing);
        if (standing.fault !== null) controls.say(...reasonOf(standing.fault, () => playback?.seek(standing.time)));
        else controls.say(standing.isWaiting ? 'Loading' : null);
      };
      playback = createPlayback(controls.stage, pieces, { onChange, onFetched: controls.showMoments, at: time });
      controls.steer(playback);
    } catch (fault) {
      if (!ended.signal.aborted) controls.say(...reasonOf(fault, open));
    }
  };
  void open();
  return {
    time: () => time / 1000,
    seek: (seconds) => {
      time = seconds * 1000;
      playback?.seek(time);
    },
    destroy: () => {
      ended.abort();
      playback?.destroy();
      root.replaceChildren();
    },
  };
}

/** The error message, and whether a retry may help. */
function reasonOf(fault: unknown, again: () => void): [text: string, again?: () => void] {
  if (fault instanceof NoPicture) return ['This recording has no picture of a page in it, so it cannot be played.'];
  if (!(fault instanceof LoadError)) return ['This part of the recording cannot be played. Choose another one below.', again];
  if (fault.status === 404) return ['This recording is not here any more.'];
  if (fault.status === 401) return ['This recording is protected: load the page again and enter its password.'];
  return ['The recording could not be loaded.', again];
}
