import { joinedBytes } from '../kernel/joined-bytes.js';
import { isObject } from '../kernel/json.js';
import type { Scheduler } from '../kernel/scheduler.js';
import { createTurns } from '../kernel/turns.js';

/** Characters that are written before other requests get a turn: about 5 ms. */
const CHARACTERS_PER_TURN = 512 * 1024;

/**
 * The JSON of a response, as `JSON.stringify` writes it. The items of `results` are written one by one, with turns for other requests: those
 * of a query may have a million numbers, which take 100 ms.
 */
export async function jsonInTurns(value: unknown, scheduler: Pick<Scheduler, 'yield'>): Promise<Buffer> {
  if (!isObject(value) || !Array.isArray(value['results'])) return Buffer.from(JSON.stringify(value));
  const turns = createTurns(scheduler, CHARACTERS_PER_TURN);
  const parts: Buffer[] = [];
  let text = '';
  for (const [name, member] of Object.entries(value)) {
    const items = name === 'results' && Array.isArray(member) ? member : null;
    const written = items ? '[' : JSON.stringify(member);
    // JSON has no undefined
    if (written === undefined) continue;
    text += `${parts.length > 0 || text !== '' ? ',' : '{'}${JSON.stringify(name)}:${written}`;
    if (!items) continue;
    for (const [index, item] of items.entries()) {
      const own = `${index > 0 ? ',' : ''}${JSON.stringify(item) ?? 'null'}`;
      text += own;
      if (!turns.isOver(own.length)) continue;
      parts.push(Buffer.from(text));
      text = '';
      await turns.next();
    }
    text += ']';
  }
  return joinedBytes([...parts, Buffer.from(`${text}}`)], scheduler);
}
