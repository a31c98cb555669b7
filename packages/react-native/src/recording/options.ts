/** How the app is recorded. These options override the project's settings. */
export type RecordingOptions = {
  /** Masks typed text and all other texts. Default: the project's setting, or true. Passwords are always masked. */
  maskAllInputs?: boolean;
  /** Hide images. Default true. */
  maskAllImages?: boolean;
  /** Records lines of the console. Default: the project's setting. */
  recordConsole?: boolean;
  /** Milliseconds without any event after which recording rests. Default: when the session ends. */
  idleAfterMs?: number;
};
