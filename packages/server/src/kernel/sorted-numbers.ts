/** An expression of ClickHouse for an array of `UInt32`: its numbers in ascending order, as a text for {@link sortedNumbers}. */
export const sortedNumbersText = (array: string): string => `base64URLEncode(reinterpretAsString(arraySort(${array})))`;

/**
 * Reads the text of {@link sortedNumbersText}; little-endian, as on every machine for which there is an embedded engine.
 * @param count how many numbers the engine counted
 * @throws RangeError the text has more or fewer
 */
export function sortedNumbers(count: number, text: string): Uint32Array {
  const numbers = new Uint32Array(count);
  const bytes = Buffer.from(numbers.buffer).write(text, 'base64url');
  if (bytes !== numbers.byteLength || text.length !== Math.ceil((bytes * 4) / 3)) throw new RangeError('not so many numbers');
  return numbers;
}

/** Whether ascending numbers include one. */
export function hasNumber(numbers: Uint32Array, wanted: number): boolean {
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((numbers[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return numbers[from] === wanted;
}

/** Two lists of ascending numbers as one, without duplicates of numbers that both have. */
export function mergedNumbers(one: Uint32Array, other: Uint32Array): Uint32Array {
  const merged = new Uint32Array(one.length + other.length);
  let [i, j, length] = [0, 0, 0];
  while (i < one.length || j < other.length) {
    const a = one[i] ?? Number.POSITIVE_INFINITY;
    const b = other[j] ?? Number.POSITIVE_INFINITY;
    if (a <= b) i++;
    if (b <= a) j++;
    merged[length++] = Math.min(a, b);
  }
  return length === merged.length ? merged : merged.slice(0, length);
}
