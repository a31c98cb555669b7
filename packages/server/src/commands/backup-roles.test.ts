import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService } from '@tidemark/testkit';
import { expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.js';

test('a backup that a service without the role of jobs never begins is given up in a sentence', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tidemark-roles-'));
  const service = await startService({ env: { TIDEMARK_ROLES: 'capture,flags,api' } });
  let now = Date.now();
  // a minute passes between two looks
  const clock = { now: () => (now += 60_000) };
  try {
    const args = ['backup', join(home, 'backup')];
    expect(await runCommand(args, { TIDEMARK_DATA: service.dataDir }, { piped: '' }, clock)).toEqual({
      code: 1,
      output: '',
      errors: 'The running Tidemark does not begin with the backup: read its log, and see that TIDEMARK_ROLES has "jobs".\n',
    });
    expect(await readdir(home)).toEqual([]);
  } finally {
    await service.close();
    await rm(home, { recursive: true, force: true });
  }
});
