import { connect } from 'node:net';

/** Result of a load run. */
export interface LoadResult {
  seconds: number;
  /** Number of responses by status. */
  statuses: Map<number, number>;
  /** Latencies of responses with the expected status, milliseconds, ascending. */
  latencies: Float64Array;
}

/** Shared receive buffer: each chunk is processed before the next is read. */
const ANSWER = Buffer.allocUnsafeSlow(64 * 1024);

interface LoadOptions {
  port: number;
  connections: number;
  seconds: number;
  /** The next raw request; null: no more. */
  next: () => Buffer | null;
  /** Expected status; default 200. */
  status?: number;
}

/**
 * Keeps every connection busy with one request after another until the time is up. This minimal client leaves the
 * machine to the server: it reads only the status and the length of a response.
 */
export async function runLoad({ port, connections, seconds, next, status: good = 200 }: LoadOptions): Promise<LoadResult> {
  const statuses = new Map<number, number>();
  const latencies: number[] = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  const record = (status: number, took: number) => {
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === good) latencies.push(took);
  };
  await Promise.all(
    Array.from({ length: connections }, () => connection(port, () => (performance.now() < end ? next() : null), record)),
  );
  return { seconds: (performance.now() - start) / 1000, statuses, latencies: Float64Array.from(latencies).sort() };
}

function connection(port: number, next: () => Buffer | null, record: (status: number, took: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let sent = 0;
    let received = '';
    const send = () => {
      const request = next();
      if (!request) return socket.end();
      sent = performance.now();
      socket.write(request);
    };
    const take = (length: number, bytes: Uint8Array) => {
      received += Buffer.from(bytes.buffer, bytes.byteOffset, length).toString('latin1');
      const status = readAnswer(received);
      if (status === null) return true;
      received = '';
      record(status, performance.now() - sent);
      send();
      return true;
    };
    // a new buffer per response would cost a core's time in garbage collection
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer: ANSWER, callback: take } });
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

/** The status once the response is complete, else null. Responses are read as Latin-1, one character per byte. */
function readAnswer(text: string): number | null {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return null;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length < head + 4 + length ? null : Number(text.slice(9, 12));
}

/** Merges several runs. */
export function together(runs: readonly LoadResult[]): LoadResult {
  const statuses = new Map<number, number>();
  for (const [status, answers] of runs.flatMap((run) => [...run.statuses])) {
    statuses.set(status, (statuses.get(status) ?? 0) + answers);
  }
  return {
    seconds: runs.reduce((sum, { seconds }) => sum + seconds, 0),
    statuses,
    latencies: Float64Array.from(runs.flatMap(({ latencies }) => [...latencies])).sort(),
  };
}

/** The quantile (0 to 1) of the latencies, milliseconds. */
export function percentile(result: LoadResult, share: number): number {
  return result.latencies[Math.floor((result.latencies.length - 1) * share)] ?? Number.NaN;
}

/** Responses with the status `good` per second. @throws Error when there was any other status */
export function rate(result: LoadResult, good = 200): number {
  const others = [...result.statuses].filter(([status]) => status !== good);
  if (others.length) throw new Error(`Unexpected answers: ${others.map(([status, n]) => `${n} x ${status}`).join(', ')}`);
  return result.latencies.length / result.seconds;
}
