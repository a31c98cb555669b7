import cursor from 'rrweb/dist/style.css';
import { createControls } from './controls.js';
import { LoadError, openPieces } from './pieces.js';
import { createPlayback, NoPicture, type Playback, type Standing } from './playback.js';
import styles from './player.css';

const GONE =
  'Nothing of this recording is left to play: recordings are deleted when they are older than their project keeps them.';

/** Starts the player of its document. The attribute `data-snapshots` holds the address of the recording's snapshots. */
async function start(root: HTMLElement): Promise<void> {
  const style = document.createElement('style');
  style.textContent = cursor + styles;
  document.head.append(style);
  const controls = createControls(root);
  const address = root.dataset['snapshots'] ?? '';

  const open = async () => {
    controls.say('Loading');
    try {
      const pieces = await openPieces(address);
      if (pieces.list.length === 0) return controls.say(GONE);
      let playback: Playback | undefined;
      const show = (standing: Standing) => {
        controls.show(standing);
        if (standing.fault !== null) controls.say(...reasonOf(standing.fault, () => playback?.seek(standing.time)));
        else controls.say(standing.isWaiting ? 'Loading' : null);
      };
      playback = createPlayback(controls.stage, pieces, show, controls.showMoments);
      controls.steer(playback);
    } catch (fault) {
      controls.say(...reasonOf(fault, open));
    }
  };
  await open();
}

/** The error message, and whether a retry may help. */
function reasonOf(fault: unknown, again: () => void): [text: string, again?: () => void] {
  if (fault instanceof NoPicture) return ['This recording has no picture of a page in it, so it cannot be played.'];
  if (!(fault instanceof LoadError)) return ['This part of the recording cannot be played. Choose another one below.', again];
  if (fault.status === 404) return ['This recording is not here any more.'];
  if (fault.status === 401) return ['This recording is protected: load the page again and enter its password.'];
  return ['The recording could not be loaded.', again];
}

const root = document.getElementById('player');
if (root) await start(root);
