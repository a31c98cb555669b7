import { afterAll, beforeAll, describe } from 'vitest';
import type { EventsStore } from '../../ports/events.js';
import { copiesContract } from './copies.js';
import { dataVersionContract } from './data-version.js';
import { propertiesContract } from './properties.js';
import { readingContract } from './reading.js';
import { storingContract } from './storing.js';
import { wholeContract } from './whole.js';

export { eventRow, personRow } from './rows.js';

/** What a contract runs on: a store with about 512 MB of memory. */
export interface ContractStore {
  store: EventsStore;
  close(): Promise<void>;
}

/** What every event store does, whatever engine is behind it. */
export function eventsContract(name: string, open: () => Promise<ContractStore>): void {
  describe(name, () => {
    let opened: ContractStore;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    const store = () => opened.store;
    wholeContract(store);
    dataVersionContract(store);
    storingContract(store);
    propertiesContract(store);
    readingContract(store);
    copiesContract(store);
  });
}
