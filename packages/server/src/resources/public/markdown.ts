import { escapeXml } from '../../kernel/escape-xml.js';
import { type Block, readMarkdown, type Span } from '../exports/index.js';
import { Html } from './html.js';

/** Markdown as safe HTML. `level`: of its first headings; below an `h1`, that is 2. */
export const markdown = (source: string, level = 2): Html =>
  new Html(
    readMarkdown(source)
      .map((block) => blockHtml(block, level))
      .join(''),
  );

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
      return `<${tag}>${block.items.map((item) => `<li>${inline(item)}</li>`).join('')}</${tag}>`;
    }
    case 'quote':
      return `<blockquote><p>${block.lines.map(inline).join('<br>')}</p></blockquote>`;
    case 'paragraph':
      return `<p>${block.lines.map(inline).join('<br>')}</p>`;
  }
}

const TAGS = { strong: 'strong', emphasis: 'em', struck: 'del' } as const;

const inline = (spans: readonly Span[]): string => spans.map(spanHtml).join('');

function spanHtml(span: Span): string {
  if ('text' in span) return span.kind === 'code' ? `<code>${escapeXml(span.text)}</code>` : escapeXml(span.text);
  if (span.kind === 'link') return `<a href="${escapeXml(span.target)}" rel="noopener nofollow">${inline(span.spans)}</a>`;
  return `<${TAGS[span.kind]}>${inline(span.spans)}</${TAGS[span.kind]}>`;
}
