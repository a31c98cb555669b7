import { type Line, readLines } from './lines.js';

/** Consecutive blocks of a recording, fetched in one request. Times are epoch milliseconds. */
export interface Piece {
  start: number;
  end: number;
  /** Keys of the first and the last block. */
  first: string;
  last: string;
}

/** A recording in the service. */
export interface Pieces {
  /** Sorted by time; empty: the recording's data were deleted. */
  list: readonly Piece[];
  /** Fetches the events of a piece, with retries; cached. @throws LoadError */
  load(index: number): Promise<readonly Line[]>;
}

/** A block in the service's list. */
export interface Source {
  blob_key: string;
  start_timestamp: string;
  end_timestamp: string;
}

/** A failed request. `status` is the HTTP status; 0: no response. */
export class LoadError extends Error {
  constructor(readonly status: number) {
    super(`The service answers ${status}`);
  }
}

/** Blocks per piece. The first pieces are small, so that playback starts soon. */
const SIZES = [1, 1, 2];
const SIZE = 4;
const TRIES = 4;

/** Fetches the list of blocks from the address of a recording's snapshots. @throws LoadError */
export async function openPieces(address: string): Promise<Pieces> {
  const { sources }: { sources: Source[] } = JSON.parse(await get(address));
  const list = inPieces(sources);
  const loads = new Map<number, Promise<Line[]>>();
  return {
    list,
    load: (index) => {
      const known = loads.get(index);
      const piece = list[index];
      if (known || !piece) return known ?? Promise.resolve([]);
      const query = new URLSearchParams({ source: 'blob_v2', start_blob_key: piece.first, end_blob_key: piece.last });
      const loading = get(`${address}?${query}`).then(readLines);
      loads.set(index, loading);
      // failures are not cached, so that the next call retries
      loading.catch(() => loads.delete(index));
      return loading;
    },
  };
}

/** Groups blocks, which are sorted by time, into pieces. */
export function inPieces(sources: readonly Source[]): Piece[] {
  const pieces: Piece[] = [];
  for (let at = 0; at < sources.length; ) {
    const some = sources.slice(at, at + (SIZES[pieces.length] ?? SIZE));
    const [first, last] = [some[0], some.at(-1)];
    if (!first || !last) break;
    const end = Math.max(...some.map((source) => Date.parse(source.end_timestamp)));
    pieces.push({ start: Date.parse(first.start_timestamp), end, first: first.blob_key, last: last.blob_key });
    at += some.length;
  }
  return pieces;
}

async function get(address: string): Promise<string> {
  for (let tried = 1; ; tried++) {
    const answer = await fetch(address, { cache: 'no-store' }).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (text !== null) return text;
    const status = answer && !answer.ok ? answer.status : 0;
    const isLasting = status >= 400 && status < 500 && status !== 429;
    if (isLasting || tried === TRIES) throw new LoadError(status);
    const seconds = Number(answer?.headers.get('retry-after') ?? 0) || 2 ** (tried - 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}
