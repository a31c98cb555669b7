/** The same properties in an object that engines copy several times faster than one that was put together piece by piece. */
export function compact<Value>(properties: Record<string, Value>): Record<string, Value> {
  return JSON.parse(JSON.stringify(properties));
}
