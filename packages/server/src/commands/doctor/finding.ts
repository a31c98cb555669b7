/** How long a server may take to answer a check; milliseconds. */
export const ANSWER_MS = 5_000;

/** What a check of the machine found. */
export interface Finding {
  /** What was looked at, such as `disk`. */
  name: string;
  /** A fault stops the service or loses data; a warning is about a service that is slow, or will be in trouble. */
  state: 'ok' | 'warning' | 'fault';
  text: string;
  /** What to do about it. */
  remedy?: string;
}

export const ok = (name: string, text: string): Finding => ({ name, state: 'ok', text });
export const warning = (name: string, text: string, remedy: string): Finding => ({ name, state: 'warning', text, remedy });
export const fault = (name: string, text: string, remedy: string): Finding => ({ name, state: 'fault', text, remedy });
