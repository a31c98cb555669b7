import type { Scheduler } from './scheduler.js';
import { createTurns } from './turns.js';

/** Characters written before other work gets a turn: about 5 ms. */
const CHARACTERS_PER_TURN = 256 * 1024;
/** Characters of one list of {@link jsonLists}: a driver sends a text in one turn. */
const CHARACTERS_PER_LIST = 2 * 1024 * 1024;

/** JSON text of a list, written with turns for other work. `write`: the text of one item. */
export async function jsonList<T>(
  items: readonly T[],
  write: (item: T) => string,
  scheduler: Pick<Scheduler, 'yield'>,
): Promise<string> {
  for await (const list of jsonLists(items, write, scheduler, Number.POSITIVE_INFINITY)) return list;
  return '[]';
}

/** As {@link jsonList}, in several lists where one would be long. None of no items. */
export async function* jsonLists<T>(
  items: readonly T[],
  write: (item: T) => string,
  scheduler: Pick<Scheduler, 'yield'>,
  charactersPerList = CHARACTERS_PER_LIST,
): AsyncGenerator<string> {
  const turns = createTurns(scheduler, CHARACTERS_PER_TURN);
  let texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = write(item);
    texts.push(text);
    length += text.length;
    if (length >= charactersPerList) {
      yield `[${texts.join()}]`;
      texts = [];
      length = 0;
    }
    if (turns.isOver(text.length)) await turns.next();
  }
  if (texts.length > 0) yield `[${texts.join()}]`;
}
