import { Counter, Gauge } from 'prom-client';
import type { Ports } from '../deps.js';
import { type EventsStore, type ReadResult, type ReadStatement, WORKLOADS, type Workload } from '../ports/events.js';

/** Reads that run or wait for their turn, by workload. */
export type OpenReads = Readonly<Record<Workload, number>>;

/** Counts the reads of an event store by workload, in the metrics too. @returns the same store, and what it reads now */
export function measureReads({ events, metrics, scheduler }: Pick<Ports, 'events' | 'metrics' | 'scheduler'>): {
  events: EventsStore;
  openReads: OpenReads;
} {
  const registers = [metrics];
  const reads = new Counter({
    name: 'tidemark_reads_total',
    help: 'Reads of the event store that have ended, by workload and result; aborted: the caller had gone',
    labelNames: ['workload', 'result'],
    registers,
  });
  const seconds = new Counter({
    name: 'tidemark_read_seconds_total',
    help: 'Time that reads of the event store took, with their wait for a session, by workload',
    labelNames: ['workload'],
    registers,
  });
  const openReads: Record<Workload, number> = { interactive: 0, export: 0, background: 0 };
  new Gauge({
    name: 'tidemark_reads',
    help: 'Reads of the event store that run or wait, by workload',
    labelNames: ['workload'],
    registers,
    collect() {
      for (const workload of WORKLOADS) this.set({ workload }, openReads[workload]);
    },
  });
  async function query<Row>(statement: ReadStatement): Promise<ReadResult<Row>> {
    const { workload = 'interactive', signal } = statement;
    const begun = scheduler.uptime();
    let result = 'failed';
    openReads[workload] += 1;
    try {
      const answer = await events.query<Row>(statement);
      result = 'ok';
      return answer;
    } finally {
      openReads[workload] -= 1;
      reads.inc({ workload, result: result === 'failed' && signal?.aborted ? 'aborted' : result });
      seconds.inc({ workload }, (scheduler.uptime() - begun) / 1000);
    }
  }
  return { events: { ...events, query }, openReads };
}
