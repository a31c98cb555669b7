/** How sessions are recorded on this page. These options override the project's settings. */
export interface ReplayOptions {
  /** Masks typed text. Default true. Passwords and card numbers are always masked. */
  maskAllInputs?: boolean;
  /** Masks the text of these elements, beside those of class `tm-mask`. */
  maskTextSelector?: string;
  /** Leaves out these elements, beside those of class `tm-block`. */
  blockSelector?: string;
  /** Returns the masked text. Default: a star for each character that is not white space. */
  maskText?: (text: string, element: HTMLElement | null) => string;
  /** Records lines of the console. Default: the project's setting. */
  recordConsole?: boolean;
  /** Milliseconds without an interaction after which recording pauses. Default 5 minutes. */
  idleAfterMs?: number;
  /** Milliseconds between two snapshots of the whole page. Default 5 minutes. */
  fullSnapshotEveryMs?: number;
}
