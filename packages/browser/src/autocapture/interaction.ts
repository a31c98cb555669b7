/** A click, change, submit, copy or cut. */
export interface Interaction {
  event: Event;
  /** The target of the event and its ancestors, innermost first. */
  path: readonly Element[];
  /** URL of the page at that time. */
  url: string;
  /** Whether it is captured as `$autocapture`, beside being part of a rage click. */
  counts: boolean;
  /** The selection at that time; undefined before the description of elements is loaded. */
  selection: Selection | null | undefined;
  /** Epoch milliseconds. */
  at: number;
}
