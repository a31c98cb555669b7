// npm run bench -- walks: presses everything on every screen of the app as somebody who may only view it: no press may fail. `npm test`
// does so on a part of the screens. It prints what fails, and ends with 1 then.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const args = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'stories', 'e2e/src/web/viewer.test.ts'];
const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, TEST_EVERY_SCREEN: '1' } });
child.once('exit', (code) => process.exit(code ?? 1));
