import { inject } from 'vitest';

export interface ClusterDatabases {
  /** The settings of a store on them. */
  env: Record<string, string>;
  /** Removes them from all nodes. */
  drop(): Promise<void>;
}

/** Whether this is the project whose stores are on two shards. */
export const onTwoShards = (): boolean => inject('clickhouseCluster') !== undefined;

let made = 0;

/** Databases of a store on the two shards, in the project whose tests run there (see vitest.config.ts); null in the others. */
export function clusterDatabases(): ClusterDatabases | null {
  const cluster = inject('clickhouseCluster');
  if (!cluster) return null;
  const name = `store_${process.pid}_${process.env.VITEST_WORKER_ID}_${++made}`;
  return {
    env: { CLICKHOUSE_URL: `${cluster.urls[0]}/${name}`, CLICKHOUSE_CLUSTER: cluster.name },
    drop: async () => {
      for (const url of cluster.urls) {
        for (const database of [name, `${name}_local`]) {
          const response = await fetch(url, { method: 'POST', body: `DROP DATABASE IF EXISTS ${database} SYNC` });
          if (!response.ok) throw new Error(await response.text());
        }
      }
    },
  };
}
