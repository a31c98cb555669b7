const INCREMENTAL = 3;
/** Mouse, scroll, resize, input, touch, drag, selection. Not media: a looping video causes an event at each turn. */
const DOINGS: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 5, 6, 12, 14]);

/** Whether an event of the recorder is an interaction of the person. */
export const isDoing = ({ type, data }: { type: number; data: unknown }): boolean =>
  type === INCREMENTAL && typeof data === 'object' && data !== null && 'source' in data && DOINGS.has(data.source);
