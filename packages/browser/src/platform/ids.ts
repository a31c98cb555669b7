const POOLED = 512;

/** Makes UUIDs of version 7 (RFC 9562). Random bytes are taken from the system many at a time: asking for each id costs more than the id. */
export function uuid7Maker(now: () => number): (at?: number) => string {
  let pool = '';
  let last = -1;
  let count = 0;
  let time = '';
  const random = (digits: number) => {
    if (pool.length < digits) {
      pool = Array.from(crypto.getRandomValues(new Uint8Array(POOLED)), (byte) => (byte + 256).toString(16).slice(1)).join('');
    }
    const taken = pool.slice(0, digits);
    pool = pool.slice(digits);
    return taken;
  };
  return (at = now()) => {
    // ids of one millisecond count up, so that events keep their order
    if (at === last) count = (count + 1) & 0xfff;
    else {
      last = at;
      count = Number.parseInt(random(2), 16);
      const hex = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
      time = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
    }
    const tail = random(16);
    return `${time}${(count + 0x1000).toString(16).slice(1)}-${'89ab'[tail.charCodeAt(15) & 3]}${tail.slice(0, 3)}-${tail.slice(3, 15)}`;
  };
}
