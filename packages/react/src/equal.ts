/** Compares options: plain objects and arrays by content, all else by identity. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  return isPlain(a) && isPlain(b) && Object.keys({ ...a, ...b }).every((key) => equal(a[key], b[key]));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return !!value && [Object.prototype, Array.prototype].includes(Object.getPrototypeOf(value));
}
