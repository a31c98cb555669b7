// Loaded into the service by `startService({ probesLoop: true })`: measures the turns of its event loop and its heap from within, and tells
// them to its parent.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { probeLoop } from './loop-probe.js';

// the service's threads and child processes load what it loads
if (isMainThread && process.send && process.argv.includes('serve')) {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const probe = probeLoop();
  let longest = 0;
  process.on('message', (question) => {
    longest = Math.max(longest, probe.longest());
    if (question === 'longest turn') {
      process.send?.({ longestTurn: longest });
      longest = 0;
      return;
    }
    collect();
    process.send?.({ memory: process.memoryUsage() });
    // the collection is no turn of the service
    probe.longest();
  });
  // neither keeps the service from ending
  process.channel?.unref();
}
