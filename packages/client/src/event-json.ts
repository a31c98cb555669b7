/**
 * An event, or another value, as JSON. Big integers and cycles, which JSON does not have, become text. Texts longer than `maxLength` characters are
 * cut (0: never). The replacer runs only when it is needed, since it makes `JSON.stringify` several times slower.
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
    // The value throws when it is read (a getter, `toJSON`): the event goes without its properties, so that the events behind it are not blocked.
    return JSON.stringify({ ...Object(event), properties: {} });
  }
}
