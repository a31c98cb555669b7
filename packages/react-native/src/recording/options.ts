/** How the app is recorded; what is set here beats what the project says. */
export type RecordingOptions = {
  /** Hide what is typed, and all other texts with it. Default: as the project says, else true; passwords are hidden in any case. */
  maskAllInputs?: boolean;
  /** Hide images. Default true. */
  maskAllImages?: boolean;
  /** Record lines of the console. Default: as the project says. */
  recordConsole?: boolean;
  /** Milliseconds without any event after which recording rests. Default: when the session ends. */
  idleAfterMs?: number;
};
