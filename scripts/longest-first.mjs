import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BaseSequencer } from 'vitest/node';
import { root } from './run.mjs';

/** Seconds that test files took, by project and path. `npm test -- --keep-times` writes it. */
export const TIMES_FILE = fileURLToPath(new URL('test-times.json', import.meta.url));

/** @returns {Record<string, Record<string, number>>} what is in the file */
export const readTimes = () => JSON.parse(readFileSync(TIMES_FILE, 'utf8'));

/**
 * Orders test files by project, as in the configuration, and those of a project by the time they took, longest first: begun last, a long
 * one would keep the run from ending while the other workers have nothing left.
 */
export class LongestFirst extends BaseSequencer {
  /** @override @param {import('vitest/node').TestSpecification[]} files */
  async sort(files) {
    const times = readTimes();
    const projects = this.ctx.projects.map(({ name }) => name);
    const placeOf = (/** @type {import('vitest/node').TestSpecification} */ { project }) => projects.indexOf(project.name);
    const timeOf = (/** @type {import('vitest/node').TestSpecification} */ { project, moduleId }) =>
      times[project.name]?.[relative(root, moduleId)] ?? 0;
    return [...files].sort((a, b) => placeOf(a) - placeOf(b) || timeOf(b) - timeOf(a));
  }
}
