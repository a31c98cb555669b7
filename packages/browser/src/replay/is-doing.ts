const INCREMENTAL = 3;
/** Mouse, scrolling, size of the window, input, touch, dragging, selecting. Media are not among them: a video that loops tells of each turn. */
const DOINGS: ReadonlySet<unknown> = new Set([1, 2, 3, 4, 5, 6, 12, 14]);

/** Whether a snapshot tells of something that the person did. */
export const isDoing = ({ type, data }: { type: number; data: unknown }): boolean =>
  type === INCREMENTAL && typeof data === 'object' && data !== null && 'source' in data && DOINGS.has(data.source);
