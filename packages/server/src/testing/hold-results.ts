import type { KyselyPlugin } from 'kysely';
import type { Db } from '../ports/db.js';

/** The result of one statement that the database has computed and that its reader does not have yet. */
export interface HeldResult {
  /** Resolves when the database has answered. */
  reached: Promise<void>;
  release(): void;
}

/** The same database, whose results arrive when a test says so: for what happens between a read and its use. */
export function holdResults(db: Db): { db: Db; holdNext(mention: string): HeldResult } {
  const waiting: { mention: string; reach(): void; released: Promise<void> }[] = [];
  const held = new WeakMap<object, (typeof waiting)[number]>();
  const plugin: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      const text = JSON.stringify(node);
      const index = waiting.findIndex(({ mention }) => text.includes(mention));
      const [found] = index < 0 ? [] : waiting.splice(index, 1);
      if (found) held.set(queryId, found);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      const hold = held.get(queryId);
      hold?.reach();
      await hold?.released;
      return result;
    },
  };
  return {
    db: db.withPlugin(plugin),
    /** Holds the result of the next statement that mentions this table or text. */
    holdNext: (mention) => {
      const reached = gate();
      const released = gate();
      waiting.push({ mention, reach: reached.open, released: released.opened });
      return { reached: reached.opened, release: released.open };
    },
  };
}

function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
