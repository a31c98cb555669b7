import { createPropertiesCodec } from '../adapters/clickhouse/row-binary/index.js';
import { type EventsStore, EventsUnavailable } from '../ports/events.js';

const unreachable = () => Promise.reject(new EventsUnavailable('no event store in this test'));

/** For services that store none. */
export const noEvents: EventsStore = {
  codec: createPropertiesCodec(),
  rowFilterTables: [],
  replicas: null,
  query: unreachable,
  insert: unreachable,
  deleteProject: unreachable,
  deleteEvents: unreachable,
  deleteProfiles: unreachable,
  deleteEventsBefore: unreachable,
  dataVersion: unreachable,
  copies: {
    units: unreachable,
    measure: unreachable,
    columns: () => [],
    read: unreachable,
    snapshot: unreachable,
    settled: unreachable,
    load: unreachable,
    clear: unreachable,
    schema: unreachable,
  },
  space: unreachable,
  acceptsInserts: () => true,
  ping: unreachable,
  close: async () => {},
};
