import { startClickHouseCluster } from '@tidemark/testkit';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the project whose tests run on a cluster: its name, and the addresses of its nodes. */
    clickhouseCluster?: { name: string; urls: string[] };
  }
}

const MEMORY = 1024 ** 3;

/** Gives the test files of a project two shards, on which each store has databases of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startClickHouseCluster({ shards: 2, memory: MEMORY });
  project.provide('clickhouseCluster', { name: cluster.name, urls: cluster.nodes.map(({ url }) => url) });
  return () => cluster.close();
}
