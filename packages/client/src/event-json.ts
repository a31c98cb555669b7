/**
 * An event, or another value, as JSON. What JSON cannot say (big integers, cycles) is written as text, and texts over `maxLength` are cut (0: never);
 * the replacer runs only when it is needed, since it makes writing several times slower.
 */
export function eventJson(event: unknown, maxLength = 0): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(event);
  } catch {}
  if (text !== undefined && (!maxLength || text.length <= maxLength)) return text;
  const parents: object[] = [];
  try {
    return JSON.stringify(event, function (this: object, _key, value: unknown) {
      if (typeof value === 'bigint') return String(value);
      if (typeof value === 'string') return maxLength ? value.slice(0, maxLength) : value;
      if (typeof value !== 'object' || value === null) return value;
      while (parents.length && parents.at(-1) !== this) parents.pop();
      if (parents.includes(value)) return '[circular]';
      parents.push(value);
      return value;
    });
  } catch {
    // A value that throws when it is written must not hold up the events behind it.
    return JSON.stringify({ ...Object(event), properties: {} });
  }
}
