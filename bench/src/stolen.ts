import { readFileSync } from 'node:fs';

/** CPU time used by this machine and stolen by its host (see `/proc/stat`), in hundredths of a second; null: unknown. */
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
 * Steal time since this process began: the share (0 to 1) of the demanded CPU time that the host of this virtual machine gave to
 * other machines. Every absolute figure of a run is worse by at least that. Null: unknown.
 */
export function stolenShare(): number | null {
  const now = processorTimes();
  if (!atStart || !now) return null;
  const stolen = now.stolen - atStart.stolen;
  return stolen / Math.max(1, stolen + now.busy - atStart.busy);
}
