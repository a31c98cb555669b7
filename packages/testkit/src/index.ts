export { type Answer, type Api, apiOf, type EventRecord, type EventsFilter } from './api.js';
export { type Browser, launchBrowser } from './browser.js';
export {
  type ClickHouseCluster,
  type ClickHouseClusterOptions,
  startClickHouseCluster,
  whyNoReplicas,
} from './clickhouse-cluster.js';
export {
  type ClickHouseServer,
  type ClickHouseServerOptions,
  launchClickHouse,
  startClickHouseServer,
} from './clickhouse-server.js';
export { eventSums, type ProjectContent, readProject } from './compare-projects.js';
export { type LoadTarget, startLoad } from './crash-load.js';
export { type Attack, type CrashResult, compareStored, crashRounds, type Victim } from './crash-rounds.js';
export { type Difference, differences } from './differences.js';
export { eventually } from './eventually.js';
export { type Firefox, findFirefox, launchFirefox } from './firefox.js';
export { freePort } from './free-port.js';
export { type Haproxy, hasHaproxy, startHaproxy } from './haproxy.js';
export { calibration, type LoopProbe, probeLoop } from './loop-probe.js';
export { canMount } from './mounts.js';
export { findPgBouncer, PGBOUNCER, type PgBouncer, type PgBouncerOptions, startPgBouncer } from './pgbouncer.js';
export { cpuOf, listProcesses, memoryOf, type Process, processTree } from './processes.js';
export { processorMs } from './processor-ms.js';
export { pick, type Random, randomFrom, uuidFrom } from './random.js';
export { type EventMaker, eventMaker, type SentEvent, webEventMaker } from './sent-events.js';
export { type Account, type Service, type ServiceOptions, type ServiceProcesses, startService } from './service.js';
export { type WorstRequest, worstRequests } from './worst-requests.js';
