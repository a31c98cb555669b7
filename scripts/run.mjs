import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The repository's folder, without a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/**
 * Runs a command in the repository's folder; a signal that ends us ends it too.
 * @param {string} command
 * @param {string[]} args
 * @param {{ quiet?: boolean, env?: Record<string, string> }} [options] quiet: collect what it prints instead of showing it
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { quiet = false, env = {} } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      output += chunk;
    });
    const stop = (/** @type {NodeJS.Signals} */ signal) => {
      child.kill(signal);
      process.exit(1);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    child.on('error', (error) => {
      output += error.message;
    });
    child.on('close', (code) => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      resolve({ code: code ?? 1, output });
    });
  });
}
