import type { Store } from '@tidemark/client';
import { listen } from '../listen.js';

const ID = 'tm_window';
const OPEN = 'tm_window_open';

/** An id for this tab that reloads keep. A tab made by duplicating another gets its own, though its storage is a copy. */
export function windowId(storage: Store | undefined, fresh: () => string): string {
  const copied = storage?.get(OPEN);
  const id = (!copied && storage?.get(ID)) || fresh();
  const mark = () => {
    try {
      storage?.set(ID, id);
      storage?.set(OPEN, '1');
    } catch {
      // a full storage only costs the id its next page
    }
  };
  if (storage) {
    mark();
    listen(window, ['pagehide'], () => storage.remove(OPEN));
    listen(window, ['pageshow'], mark);
  }
  return id;
}
