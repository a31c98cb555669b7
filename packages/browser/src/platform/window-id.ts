import type { Store } from '@tidemark/client';
import { listen } from '../listen.js';

const ID = 'tm_window';
const OPEN = 'tm_window_open';

/** The id of this tab; reloads do not change it. A duplicated tab has a copy of the storage, but gets its own id. */
export function windowId(storage: Store | undefined, fresh: () => string): string {
  const copied = storage?.get(OPEN);
  const id = (!copied && storage?.get(ID)) || fresh();
  const mark = () => {
    try {
      storage?.set(ID, id);
      storage?.set(OPEN, '1');
    } catch {
      // the storage is full: the next page gets another id
    }
  };
  if (storage) {
    mark();
    listen(window, ['pagehide'], () => storage.remove(OPEN));
    listen(window, ['pageshow'], mark);
  }
  return id;
}
