/** How many tiles come along with the dashboard itself: what fills the screen first. */
const FIRST = 2;

/**
 * A dashboard as server-sent events: itself with its first tiles, the other tiles one by one, and the end.
 * `order` is a tile's place among all of them.
 */
export function* tileMessages(dashboard: { tiles: readonly object[] }): Generator<string> {
  const { tiles } = dashboard;
  yield message({ type: 'metadata', dashboard: { ...dashboard, tiles: tiles.slice(0, FIRST) } });
  for (const [index, tile] of tiles.slice(FIRST).entries()) yield message({ type: 'tile', order: FIRST + index, tile });
  yield message({ type: 'complete' });
}

const message = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
