import { type EventsStore, EventsUnavailable } from '../ports/events.js';

const refuse = async (): Promise<never> => {
  throw new EventsUnavailable('This server has no event store: its only role is flags (TIDEMARK_ROLES).');
};

/** The event store of a server whose role needs none: so it starts while ClickHouse is away. Each call fails as when it is. */
export const noEvents = (): EventsStore => ({
  query: refuse,
  rowFilterTables: [],
  codec: {
    encode: () => null,
    reader: () => () => null,
    withTexts: (encoded) => encoded,
  },
  replicas: null,
  insert: refuse,
  deleteProject: refuse,
  deleteEvents: refuse,
  deleteProfiles: refuse,
  deleteEventsBefore: refuse,
  dataVersion: refuse,
  copies: {
    units: refuse,
    measure: refuse,
    columns: () => [],
    read: refuse,
    snapshot: refuse,
    settled: refuse,
    load: refuse,
    clear: refuse,
    schema: refuse,
  },
  space: refuse,
  acceptsInserts: () => false,
  ping: refuse,
  close: async () => {},
});
