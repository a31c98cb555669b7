import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Path of the built program. */
export const MAIN = fileURLToPath(new URL('../../../packages/server/dist/bundle/tidemark.js', import.meta.url));
const run = promisify(execFile);

/** Runs a command of the built program. @param env added to that of this process */
export async function tidemark(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number; output: string; errors: string }> {
  try {
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } });
    return { code: 0, output: stdout, errors: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout, errors: stderr };
  }
}
