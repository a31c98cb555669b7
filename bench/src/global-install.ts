// npm run bench -- global-install: installs the tarball of a release by `npm install --global`, without its lock file, and runs the command as
// the systemd unit does. `npm test` runs the same command from an installation with the lock file.
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveAsUnit } from '../../e2e/src/testing/unit-command.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const home = await mkdtemp(join(tmpdir(), 'tidemark-global-'));
try {
  const release = join(home, 'release');
  const options = ['--draft', '--built', '--out', release];
  execFileSync(process.execPath, [join(ROOT, 'scripts/release.mjs'), ...options], { cwd: ROOT, stdio: 'inherit' });
  const tarball = (await readdir(release)).find((name) => /^tidemark-\d.*\.tgz$/.test(name)) ?? '';
  const prefix = join(home, 'prefix');
  const install = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', join(release, tarball)];
  const began = performance.now();
  execFileSync('npm', ['install', '--global', '--prefix', prefix, ...install], { cwd: home, stdio: 'inherit' });
  const installed = performance.now();
  await serveAsUnit(join(prefix, 'bin'), join(home, 'data'));
  const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1);
  console.log(
    `Installed in ${seconds(began, installed)} s; it served and stopped in ${seconds(installed, performance.now())} s.`,
  );
} finally {
  await rm(home, { recursive: true, force: true });
}
