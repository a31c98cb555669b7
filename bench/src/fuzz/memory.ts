import { memoryOf, type Process, type Service } from '@tidemark/testkit';

/** Warm-up share of a run, in which growing caches and compiled code are no leak. */
const WARM_UP = 0.3;
const MIB = 2 ** 20;
/** One in so many samples follows a garbage collection. */
const SAMPLES_PER_COLLECTION = 5;

interface Sample {
  /** Requests answered so far. */
  done: number;
  service: number;
  stores: number;
  /** Heap and external memory of the service after a garbage collection. */
  live: number | null;
}

/** Statistics of one kind of sample, bytes. */
export interface Trend {
  mean: number;
  /** Growth from the warm-up to the end, by the least-squares line. */
  growth: number;
}

/** Samples the memory of a service and of its stores over a run. */
export function memoryWatch(service: Service) {
  const samples: Sample[] = [];
  const trendOf = (bytes: (sample: Sample) => number | null): Trend => {
    const end = samples.at(-1)?.done ?? 0;
    return trend(
      samples.flatMap((sample) => {
        const y = bytes(sample);
        return y === null || sample.done < end * WARM_UP ? [] : [[sample.done, y] as const];
      }),
    );
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
        sample.live = heapUsed + external;
        after = `; in use after a collection: heap ${(heapUsed / MIB).toFixed(0)} MiB, outside of it ${(external / MIB).toFixed(0)} MiB`;
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

/** The least-squares line through points. */
function trend(points: readonly (readonly [x: number, y: number])[]): Trend {
  const count = Math.max(1, points.length);
  const [meanX, mean] = [points.reduce((sum, [x]) => sum + x, 0) / count, points.reduce((sum, [, y]) => sum + y, 0) / count];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - mean), 0) / (spread || 1);
  return { mean, growth: slope * ((points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0)) };
}
