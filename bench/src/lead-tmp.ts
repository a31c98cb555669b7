import { webEventMaker } from '@tidemark/testkit';
import { percentile, rate, runLoad } from './load.js';
import { batchRequest, eachOnce } from './requests.js';

const port = Number(process.argv[2]);
const secs = Number(process.argv[3] ?? 10);
const make = webEventMaker(Number(process.argv[4] ?? 1));
const batches = Array.from({ length: 1200 * secs }, () => batchRequest('tmk_quickstart', make, 20));
const r = await runLoad({ port, connections: 64, seconds: secs, next: eachOnce(batches) });
console.log('events/s', (rate(r) * 20).toFixed(0), 'p50', percentile(r, 0.5).toFixed(0), 'p99', percentile(r, 0.99).toFixed(0), [
  ...r.statuses,
]);
