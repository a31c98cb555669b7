import type { Logger } from 'pino';
import type { Changes } from '../../ports/changes.js';
import type { Scheduler } from '../../ports/system.js';
import { listen } from './listen.js';

/** Channel of the triggers in migrations/0010_changes.sql. */
const CHANNEL = 'tidemark_changes';

/** Listens to changes of the metadata until it is closed. */
export async function hearChanges(
  url: string,
  options: { log: Logger; scheduler: Scheduler },
): Promise<Changes & { close(): Promise<void> }> {
  const listeners: ((projectId: number | null) => void)[] = [];
  let heard = true;
  const tell = (projectId: number | null) => {
    for (const listener of listeners) listener(projectId);
  };
  const close = await listen(
    url,
    CHANNEL,
    {
      notified: (payload) => tell(payload === '' ? null : Number(payload)),
      lost: () => {
        heard = false;
        tell(null);
      },
      found: () => {
        heard = true;
        tell(null);
      },
    },
    options,
  );
  return { onChange: (listener) => listeners.push(listener), heard: () => heard, close };
}
