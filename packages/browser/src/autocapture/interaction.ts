/** Something a person did on the page. */
export interface Interaction {
  event: Event;
  /** The element it happened on, and those around it, as they were then. */
  path: readonly Element[];
  /** Of the page, then. */
  url: string;
  /** Whether it is captured as such, and not only as a part of something else. */
  counts: boolean;
  /** The text that was selected then, where copies are captured. */
  text: string | false | undefined;
  /** Epoch milliseconds. */
  at: number;
}
