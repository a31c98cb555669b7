/** Makes UUIDs of version 7 (RFC 9562). Random bits are taken from the system many at a time: asking for each id costs more than the id. */
export function uuid7Maker(now: () => number): (at?: number) => string {
  const pool = new BigUint64Array(64);
  let left = 0;
  let last = -1;
  let count = 0;
  let time = '';
  return (at = now()) => {
    // ids of one millisecond count up, so that events keep their order
    if (at === last) count = (count + 1) & 0xfff;
    else {
      last = at;
      count = 0;
      const hex = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
      time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    }
    // 62 random bits below the two of the variant
    if (!left) left = crypto.getRandomValues(pool).length;
    const tail = (((pool[--left] ?? 0n) & 0x3fffffffffffffffn) | 0x8000000000000000n).toString(16);
    return `${time}${(count + 0x1000).toString(16).slice(1)}-${tail.slice(0, 4)}-${tail.slice(4)}`;
  };
}
