import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { ShardCosts } from './costs.js';
import type { ServiceCosts } from './service-costs.js';

/** What runs of the bench have measured on one machine. */
export interface KeptCosts {
  machine: string;
  /** Of ClickHouse alone, by number of shards and of events. */
  clusters: ShardCosts[];
  /** Through the whole service, by number of shards. */
  services: ServiceCosts[];
}

/** Reads what is kept in a file. @throws Error when there is no such file */
export const readCosts = (path: string): KeptCosts => JSON.parse(readFileSync(path, 'utf8'));

/** Adds measured costs to a file; those of the same numbers are replaced. */
export function keepCosts(path: string, machine: string, added: { clusters?: ShardCosts[]; services?: ServiceCosts[] }): void {
  const { clusters = [], services = [] } = added;
  const before = existsSync(path) ? readCosts(path) : { clusters: [], services: [] };
  const merged: KeptCosts = {
    machine,
    clusters: [
      ...before.clusters.filter(({ shards, events }) => !clusters.some((one) => one.shards === shards && one.events === events)),
      ...clusters,
    ].sort((a, b) => a.shards - b.shards || a.events - b.events),
    services: [...before.services.filter(({ shards }) => !services.some((one) => one.shards === shards)), ...services].sort(
      (a, b) => a.shards - b.shards,
    ),
  };
  writeFileSync(path, `${JSON.stringify(merged, rounded, 1)}\n`);
}

const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value);
