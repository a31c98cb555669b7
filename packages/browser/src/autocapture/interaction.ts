/** Something a person did on the page. */
export interface Interaction {
  event: Event;
  /** The element it happened on, and those around it, as they were then. */
  path: readonly Element[];
  /** Of the page, then. */
  url: string;
  /** Whether it is captured as such, and not only as a part of something else. */
  counts: boolean;
  /** Epoch milliseconds. */
  at: number;
}
