import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's folder, without a slash at its end. */
export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

/** Folders of the published packages, dependencies first. */
export const PUBLISHED = ['wire', 'flags', 'client', 'browser', 'react', 'react-native', 'node'];

/**
 * Runs a command in the repository's folder, and forwards signals that end this process.
 * @param {string} command
 * @param {string[]} args
 * @param {{ quiet?: boolean, env?: Record<string, string>, cwd?: string }} [options] quiet: collects the output instead of printing it;
 *   cwd: another folder
 * @returns {Promise<{ code: number, output: string }>}
 */
export function run(command, args, { quiet = false, env = {}, cwd = root } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
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

/** @param {string} path @returns {number} epoch milliseconds, 0 when there is no such file */
export function modified(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} folder of a package, from the repository's @returns {Record<string, any>} its package.json */
export const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** @param {string} path @param {object} value */
export const writeJson = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);

/** @returns {() => string} the time since, such as `12 s` */
export function stopwatch() {
  const start = performance.now();
  return () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
}

/** @param {string} what @param {{ code: number, output: string }} result @returns {never} */
export function fail(what, result) {
  console.error(result.output);
  console.error(`${what} failed with code ${result.code}; the reason is above.`);
  process.exit(1);
}
