// Packs what is published and looks at it as those who install it do: publint at the package, attw at its types.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './run.mjs';

const PUBLISHED = ['client', 'browser', 'react', 'react-native', 'node'];
const bin = (/** @type {string} */ name) => join(root, 'node_modules/.bin', name);

const folder = mkdtempSync(join(tmpdir(), 'tidemark-packages-'));
let failed = false;
for (const name of PUBLISHED) {
  const path = join(root, 'packages', name);
  const packed = await run('npm', ['pack', path, '--pack-destination', folder, '--json', '--loglevel=error'], { quiet: true });
  const [{ filename = '' } = {}] = packed.code === 0 ? JSON.parse(packed.output.slice(packed.output.indexOf('['))) : [];
  /** @type {[command: string, args: string[]][]} */
  const looks = [
    [bin('publint'), [join(folder, filename), '--strict']],
    // our packages are ES modules alone, whose types older resolutions cannot find
    [bin('attw'), [join(folder, filename), '--profile', 'esm-only', '--no-definitely-typed', '--no-emoji', '--format', 'ascii']],
  ];
  if (!filename) report(name, 'npm pack', packed.output);
  else {
    for (const [command, args] of looks) {
      const { code, output } = await run(command, args, { quiet: true });
      if (code !== 0) report(name, command, output);
    }
  }
}
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);

/** @param {string} name @param {string} command @param {string} output */
function report(name, command, output) {
  failed = true;
  console.log(`packages/${name}: ${command}\n${output}`);
}
