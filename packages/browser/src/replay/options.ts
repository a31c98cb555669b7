/** How sessions are recorded on this page; what is set here beats what the project says. */
export interface ReplayOptions {
  /** Hide what is typed. Default true; passwords and card numbers are hidden in any case. */
  maskAllInputs?: boolean;
  /** Hide the text of more elements than those of class `tm-mask`. */
  maskTextSelector?: string;
  /** Leave out more elements than those of class `tm-block`. */
  blockSelector?: string;
  /** Hides a text; default: a star for each character that is not white space. */
  maskText?: (text: string, element: HTMLElement | null) => string;
  /** Record lines of the console. Default: as the project says. */
  recordConsole?: boolean;
  /** Milliseconds without the person doing anything after which recording rests. Default 5 minutes. */
  idleAfterMs?: number;
  /** Milliseconds between two snapshots of the whole page. Default 5 minutes. */
  fullSnapshotEveryMs?: number;
}
