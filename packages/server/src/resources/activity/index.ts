export { changesBetween } from './changes.js';
export type { Activity, ActivityEntry, ActivityScope, Change, Subject } from './entry.js';
export { recordActivities, recordActivity } from './record.js';
