import { memoryOf, type Process, type Service } from '@tidemark/testkit';

/** Warm-up share of a run, in which buffers of the stores, compiled code and the memory of recent uuids grow to their limits. */
const WARM_UP = 0.5;
const MIB = 2 ** 20;
/** One in so many samples follows a garbage collection. */
const SAMPLES_PER_COLLECTION = 2;

interface Sample {
  /** Requests answered so far. */
  done: number;
  service: number;
  stores: number;
  /** Heap and external memory of the service after a garbage collection, without the entries of its caches, which have limits. */
  live: number | null;
}

/** Bytes in the caches of the service, as its metrics say. */
async function bytesInCaches(service: Service): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const sizes = [...metrics.matchAll(/^tidemark_cache_bytes\{[^}]*\} (\S+)$/gm)].map(([, bytes]) => Number(bytes));
  if (sizes.length === 0) throw new Error('The metrics do not say how large the caches are.');
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

/** Statistics of one kind of sample, bytes. */
export interface Trend {
  mean: number;
  /** Growth after the warm-up: from the lower quartile of the first half to that of the second, which leaves out merges and collections. */
  growth: number;
}

/** Samples the memory of a service and of its stores over a run. */
export function memoryWatch(service: Service) {
  const samples: Sample[] = [];
  const trendOf = (bytes: (sample: Sample) => number | null): Trend => {
    const end = samples.at(-1)?.done ?? 0;
    return trend(samples.flatMap((sample) => (sample.done < end * WARM_UP ? [] : (bytes(sample) ?? []))));
  };
  return {
    /** Measures and prints; false: a process was missing. */
    async sample(done: number, seconds: number): Promise<boolean> {
      const processes = await service.processes().catch(() => null);
      if (!processes) return false;
      const { all, service: pid } = processes;
      const sum = (isMeant: (process: Process) => boolean) => memoryOf(all.filter(isMeant));
      // last, because the garbage collection changes the other figures
      const sample: Sample = {
        done,
        service: await sum((one) => one.pid === pid),
        stores: await sum((one) => one.pid !== pid),
        live: null,
      };
      let after = '';
      if (samples.length % SAMPLES_PER_COLLECTION === SAMPLES_PER_COLLECTION - 1) {
        const used = await service.liveMemory().catch(() => null);
        if (!used) return false;
        const { heapUsed, external } = used;
        const cached = await bytesInCaches(service);
        sample.live = heapUsed + external - cached;
        const [heap, outside, caches] = [heapUsed, external, cached].map((bytes) => (bytes / MIB).toFixed(0));
        after = `; in use after a collection: heap ${heap} MiB, outside of it ${outside} MiB, of both in caches ${caches} MiB`;
      }
      samples.push(sample);
      const [own, stores] = [sample.service, sample.stores].map((bytes) => (bytes / MIB).toFixed(0));
      const count = done.toLocaleString('en').padStart(9);
      console.log(
        `  ${count} requests, ${seconds.toFixed(0).padStart(5)} s: service ${own} MiB, its stores ${stores} MiB${after}`,
      );
      return true;
    },
    live: () => trendOf((sample) => sample.live),
    service: () => trendOf((sample) => sample.service),
    all: () => trendOf((sample) => sample.service + sample.stores),
  };
}

function trend(sizes: readonly number[]): Trend {
  const half = Math.ceil(sizes.length / 2);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  return { mean, growth: lowerQuartile(sizes.slice(half)) - lowerQuartile(sizes.slice(0, half)) };
}

function lowerQuartile(sizes: readonly number[]): number {
  return sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 4)] ?? 0;
}
