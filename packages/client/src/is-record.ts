export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts among what is stored under names; undefined when it is something else. */
export function textsOf(stored: unknown): Record<string, string> | undefined {
  if (!isRecord(stored)) return undefined;
  return Object.fromEntries(Object.entries(stored).filter((pair): pair is [string, string] => typeof pair[1] === 'string'));
}
