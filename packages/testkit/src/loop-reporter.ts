// Loaded into the service by `startService({ probesLoop: true })`: measures the turns of its event loop from within, and tells them to its parent.
import { isMainThread } from 'node:worker_threads';
import { probeLoop } from './loop-probe.js';

// the service's threads and child processes load what it loads
if (isMainThread && process.send && process.argv.includes('serve')) {
  const probe = probeLoop();
  process.on('message', () => process.send?.({ longestTurn: probe.longest() }));
  // neither keeps the service from ending
  process.channel?.unref();
}
