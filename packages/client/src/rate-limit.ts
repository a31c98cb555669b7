/** A bucket of tokens that fills at `perSecond` up to `burst`; false when it is empty. */
export function createRateLimit(now: () => number, limits: () => { perSecond: number; burst: number }): () => boolean {
  let tokens = 1e9;
  let last = now();
  return () => {
    const { perSecond, burst } = limits();
    const at = now();
    tokens = Math.min(burst, tokens + ((at - last) / 1000) * perSecond);
    last = at;
    if (tokens < 1) return false;
    tokens--;
    return true;
  };
}
