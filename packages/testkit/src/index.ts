export { type Answer, type Api, apiOf, type EventRecord, type EventsFilter } from './api.js';
export { type Browser, launchBrowser } from './browser.js';
export { type ClickHouseServer, type ClickHouseServerOptions, startClickHouseServer } from './clickhouse-server.js';
export { type CrashResult, crashRounds, type Victim } from './crash-rounds.js';
export { eventually } from './eventually.js';
export { cpuOf, memoryOf, type Process, processTree } from './processes.js';
export { pick, type Random, randomFrom, uuidFrom } from './random.js';
export { type EventMaker, eventMaker, type SentEvent, webEventMaker } from './sent-events.js';
export { type Account, type Service, type ServiceOptions, type ServiceProcesses, startService } from './service.js';
