import type { Item, Material } from '../data/export-data.js';

/** What an export shows, as programs read it. */
export function* json(material: Material): Generator<Buffer> {
  if (material.kind === 'response') return yield Buffer.from(JSON.stringify(material.body));
  const { title, note, items } = material;
  const [only] = items;
  if (title === null && only) return yield Buffer.from(JSON.stringify(itemJson(only)));
  yield Buffer.from(`${JSON.stringify({ name: title, description: note }).slice(0, -1)},"tiles":[`);
  for (const [index, item] of items.entries()) yield Buffer.from((index > 0 ? ',' : '') + JSON.stringify(itemJson(item)));
  yield Buffer.from(']}');
}

function itemJson({ title, content }: Item): object {
  if (content.kind === 'text') return { text: content.body };
  if (content.kind === 'fault') return { name: title, error: content.message };
  return { name: title, query: content.query, ...content.answer };
}
