// Loaded into the service by `startService({ probesLoop: true })`: measures the turns of its event loop and its heap from within, and reports
// them to its parent.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { probeLoop } from './loop-probe.js';

// worker threads and child processes of the service load this module, too
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
    // excludes the garbage collection just forced
    probe.longest();
  });
  // neither keeps the process alive
  process.channel?.unref();
}
