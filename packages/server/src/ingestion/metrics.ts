import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { DropReason } from './capture.js';

const DROP_REASONS: readonly DropReason[] = [
  'performance_event',
  'snapshot',
  'client_ingestion_warning',
  'cookieless_off',
  'duplicate',
  'person_processing_required',
  'message_size_too_large',
  'unstorable',
];

/** Prometheus metrics of ingestion. */
export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

/** @param state called at each scrape */
export function createIngestMetrics(register: Registry, state: () => { lagMs: number; events: number; bytes: number }) {
  const registers = [register];
  new Gauge({
    name: 'tidemark_ingest_lag_seconds',
    help: 'How long the oldest request that is not yet answered has waited',
    registers,
    collect() {
      this.set(state().lagMs / 1000);
    },
  });
  new Gauge({
    name: 'tidemark_ingest_waiting_events',
    help: 'Events that wait for the stores',
    registers,
    collect() {
      this.set(state().events);
    },
  });
  new Gauge({
    name: 'tidemark_ingest_held_bytes',
    help: 'About how many bytes the events hold that are not yet answered',
    registers,
    collect() {
      this.set(state().bytes);
    },
  });
  const received = new Counter({ name: 'tidemark_ingest_received_events_total', help: 'Events taken in', registers });
  const stored = new Counter({ name: 'tidemark_ingest_stored_events_total', help: 'Rows stored as events', registers });
  const refused = new Counter({
    name: 'tidemark_ingest_refused_requests_total',
    help: 'Capture requests answered with 503, by why',
    labelNames: ['reason'] as const,
    registers,
  });
  const dropped = new Counter({
    name: 'tidemark_ingest_dropped_events_total',
    help: 'Events not stored as events, by why',
    labelNames: ['reason'] as const,
    registers,
  });
  // unused labels are exported as 0 instead of being absent
  for (const reason of DROP_REASONS) dropped.inc({ reason }, 0);
  const insertSeconds = new Histogram({
    name: 'tidemark_ingest_insert_seconds',
    help: 'Time of one insert into the event store',
    labelNames: ['table'] as const,
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10],
    registers,
  });
  const insertRows = new Histogram({
    name: 'tidemark_ingest_insert_rows',
    help: 'Rows of one insert into the event store',
    labelNames: ['table'] as const,
    buckets: [1, 10, 50, 100, 500, 1000, 2000, 4000, 10000],
    registers,
  });
  const lookups = new Counter({
    name: 'tidemark_ingest_lookup_events_total',
    help: 'Events looked up in the store because they may have been stored before',
    registers,
  });
  const stageSeconds = new Histogram({
    name: 'tidemark_ingest_stage_seconds',
    help: 'Time of one stage for one event, sampled',
    labelNames: ['stage'] as const,
    buckets: [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2],
    registers,
  });
  return { received, stored, refused, dropped, insertSeconds, insertRows, lookups, stageSeconds };
}
