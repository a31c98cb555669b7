import { readInsight, type ThemeName } from '@tidemark/charts';
import { NoUseTryingAgain } from '../../../jobs/index.js';
import type { Item, Material } from '../material/material.js';
import type { Board, BoardTile } from '../render/board.js';

/** What an export shows, as it is drawn. */
export function boardOf(material: Material, theme: ThemeName): Board {
  if (material.kind === 'response') throw new NoUseTryingAgain('A path cannot be exported as a picture or a document.');
  const { title, note, items } = material;
  return { title, note, theme, tiles: items.map(tileOf) };
}

const tileOf = ({ content, ...tile }: Item): BoardTile => ({
  ...tile,
  content: content.kind === 'answer' ? { kind: 'insight', insight: readInsight(content.query, content.answer) } : content,
});
