/** A click, change, submit, copy or cut. */
export interface Interaction {
  event: Event;
  /** The target of the event and its ancestors, innermost first. */
  path: readonly Element[];
  /** URL of the page at that time. */
  url: string;
  /** Whether it is captured as `$autocapture`, beside being part of a rage click. */
  counts: boolean;
  /** The selected text, where copies are captured. */
  text: string | false | undefined;
  /** Epoch milliseconds. */
  at: number;
}
