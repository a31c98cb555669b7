import { readFileSync } from 'node:fs';

/** Hundredths of seconds that the processors worked for this machine, and that its host gave to others meanwhile; null where it does not tell. */
function processorTimes(): { busy: number; stolen: number } | null {
  try {
    const line = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0] ?? '';
    const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = line.split(/\s+/).slice(1).map(Number);
    return { busy: user + nice + system + irq + softIrq, stolen };
  } catch {
    return null;
  }
}

const atStart = processorTimes();

/**
 * The share (0 to 1) of the processor time wanted since this process began that the host of this virtual machine gave to
 * other machines. Every absolute figure of a run is worse by at least that. Null where it is not known.
 */
export function stolenShare(): number | null {
  const now = processorTimes();
  if (!atStart || !now) return null;
  const stolen = now.stolen - atStart.stolen;
  return stolen / Math.max(1, stolen + now.busy - atStart.busy);
}
