import { writeFileSync } from 'node:fs';

/** Fills the disk of a file to its last block. */
export function fillDisk(file: string): void {
  for (let step = 1024 * 1024; step >= 4096; step /= 4) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(step, 1), { flag: 'a' });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }
}
