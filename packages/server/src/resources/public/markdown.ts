import { LRUCache } from 'lru-cache';
import { Html } from '../../http/html.js';
import { escapeXml } from '../../kernel/display-text.js';
import type { Scheduler } from '../../kernel/scheduler.js';
import { type Block, readMarkdown, type Span } from '../exports/index.js';

/** Markdown as safe HTML. `level`: of its first headings; below an `h1`, that is 2. */
export const markdown = (source: string, level = 2): Html => new Html(blocksHtml(readMarkdown(source), level));

/** Bytes of all cached texts. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Creates {@link markdown} with a cache, because the parser takes milliseconds for each kilobyte, and visitors see the same tiles. Each text
 * that is not cached has a turn of its own, so that a page of many does not delay other requests.
 */
export function createMarkdown({ yield: nextTurn }: Pick<Scheduler, 'yield'>): (source: string) => Promise<Html> {
  const cache = new LRUCache<string, Html>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ text }, source) => 2 * (text.length + source.length) + 1,
  });
  return async (source) => {
    const cached = cache.get(source);
    if (cached) return cached;
    await nextTurn();
    const made = markdown(source);
    cache.set(source, made);
    return made;
  };
}

const blocksHtml = (blocks: readonly Block[], level: number): string => blocks.map((block) => blockHtml(block, level)).join('');

function blockHtml(block: Block, level: number): string {
  switch (block.kind) {
    case 'heading': {
      const tag = `h${Math.min(6, level + block.rank)}`;
      return `<${tag}>${inline(block.spans)}</${tag}>`;
    }
    case 'rule':
      return '<hr>';
    case 'code':
      return `<pre><code>${escapeXml(block.text)}</code></pre>`;
    case 'list': {
      const tag = block.isOrdered ? 'ol' : 'ul';
      return `<${tag}>${block.items.map((item) => `<li>${itemHtml(item, level)}</li>`).join('')}</${tag}>`;
    }
    case 'quote':
      return `<blockquote>${blocksHtml(block.blocks, level)}</blockquote>`;
    case 'paragraph':
      return `<p>${linesHtml(block.lines)}</p>`;
  }
}

/** The content of a list item: its first paragraph stands without a `p`, as in a tight list. */
function itemHtml([first, ...rest]: readonly Block[], level: number): string {
  if (!first) return '';
  return (first.kind === 'paragraph' ? linesHtml(first.lines) : blockHtml(first, level)) + blocksHtml(rest, level);
}

const linesHtml = (lines: readonly (readonly Span[])[]): string => lines.map(inline).join('<br>');

const TAGS = { strong: 'strong', emphasis: 'em', struck: 'del' } as const;

const inline = (spans: readonly Span[]): string => spans.map(spanHtml).join('');

function spanHtml(span: Span): string {
  if ('text' in span) return span.kind === 'code' ? `<code>${escapeXml(span.text)}</code>` : escapeXml(span.text);
  if (span.kind === 'link') return `<a href="${escapeXml(span.target)}" rel="noopener nofollow">${inline(span.spans)}</a>`;
  return `<${TAGS[span.kind]}>${inline(span.spans)}</${TAGS[span.kind]}>`;
}
