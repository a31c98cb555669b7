import { readInsight, type ThemeName } from '@tidemark/charts';
import { NoUseTryingAgain } from '../../../jobs/index.js';
import type { Item, Material } from '../data/export-data.js';
import type { Board, BoardTile, TileContent } from '../render/dashboard.js';

/** What an export shows, as it is drawn. */
export function boardOf(material: Material, theme: ThemeName): Board {
  if (material.kind === 'response') throw new NoUseTryingAgain('A path cannot be exported as a picture or a document.');
  const { title, note, items } = material;
  return { title, note, theme, tiles: items.map(tileOf) };
}

const tileOf = ({ title, note, place, content }: Item): BoardTile => ({ title, note, place, content: contentOf(content) });

function contentOf(content: Item['content']): TileContent {
  if (content.kind === 'answer') return { kind: 'insight', insight: readInsight(content.query, content.answer) };
  return content.kind === 'fault' ? { kind: 'fault', message: `This could not be computed: ${content.message}` } : content;
}
