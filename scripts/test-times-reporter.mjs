// Stores how long the test files of a run took, for the next runs to begin with those that take longest: see longest-first.mjs.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTimes, TIMES_FILE } from './longest-first.mjs';
import { root } from './run.mjs';

/** Shorter ones need no place of their own in the order; seconds. */
const LEAST = 5;

export default class TestTimesReporter {
  /** @param {readonly import('vitest/node').TestModule[]} modules */
  onTestRunEnd(modules) {
    const times = readTimes();
    for (const module of modules) {
      const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module.diagnostic();
      const ms = collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration;
      times[module.project.name] = { ...times[module.project.name], [module.relativeModuleId]: Math.round(ms / 1_000) };
    }
    const projects = Object.entries(times).map(([project, files]) => {
      const isLong = (/** @type {[string, number]} */ [path, seconds]) => seconds >= LEAST && existsSync(join(root, path));
      const long = Object.entries(files).filter(isLong);
      return [project, Object.fromEntries(long.sort(([, a], [, b]) => b - a))];
    });
    writeFileSync(TIMES_FILE, `${JSON.stringify(Object.fromEntries(projects), null, 2)}\n`);
  }
}
