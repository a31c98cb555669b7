const CLICKS = 3;
const WITHIN_PX = 30;
const WITHIN_MS = 1_000;

/** Returns a function that is called for each click, and returns true for the third fast click on one spot. */
export function rageClicks(): (x: number, y: number, at: number) => boolean {
  let last = { x: 0, y: 0, at: Number.NEGATIVE_INFINITY };
  let clicks = 0;
  return (x, y, at) => {
    const near = Math.abs(x - last.x) + Math.abs(y - last.y) < WITHIN_PX && at - last.at < WITHIN_MS;
    clicks = near ? clicks + 1 : 1;
    last = { x, y, at };
    if (clicks < CLICKS) return false;
    clicks = 0;
    return true;
  };
}
