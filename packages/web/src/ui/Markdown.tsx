import type { Nodes, PhrasingContent, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { ReactNode } from 'react';

/** A text in Markdown as elements. HTML in it is shown as text, and links lead to web pages alone. */
export const Markdown = ({ text }: { text: string }) => (
  <div className="grid gap-2 text-13 leading-relaxed wrap-anywhere">
    {fromMarkdown(text).children.map((node, index) => show(node, index))}
  </div>
);

const all = (nodes: readonly (RootContent | PhrasingContent)[]): ReactNode[] => nodes.map((node, index) => show(node, index));

const HEADINGS = ['text-20 font-strong', 'text-16 font-strong', 'text-14 font-strong'];

function show(node: Nodes, key: number): ReactNode {
  switch (node.type) {
    case 'text':
    case 'html':
      return node.value;
    case 'paragraph':
      return <p key={key}>{all(node.children)}</p>;
    case 'heading':
      return (
        <h4 key={key} className={HEADINGS[Math.min(node.depth, 3) - 1]}>
          {all(node.children)}
        </h4>
      );
    case 'strong':
      return <strong key={key}>{all(node.children)}</strong>;
    case 'emphasis':
      return <em key={key}>{all(node.children)}</em>;
    case 'inlineCode':
      return (
        <code key={key} className="rounded-s bg-sunken px-1 font-mono text-12">
          {node.value}
        </code>
      );
    case 'code':
      return (
        <pre key={key} className="rounded-m bg-sunken p-2 font-mono text-12 whitespace-pre-wrap">
          {node.value}
        </pre>
      );
    case 'link':
      return /^https?:\/\/|^mailto:/i.test(node.url) ? (
        <a key={key} href={node.url} target="_blank" rel="noreferrer noopener">
          {all(node.children)}
        </a>
      ) : (
        <span key={key}>{all(node.children)}</span>
      );
    case 'list': {
      const List = node.ordered ? 'ol' : 'ul';
      return (
        <List key={key} className={node.ordered ? 'list-decimal pl-5' : 'list-disc pl-5'}>
          {all(node.children)}
        </List>
      );
    }
    case 'listItem':
      return <li key={key}>{all(node.children)}</li>;
    case 'blockquote':
      return (
        <blockquote key={key} className="border-l-2 border-border-strong pl-3 text-text-2">
          {all(node.children)}
        </blockquote>
      );
    case 'thematicBreak':
      return <hr key={key} className="border-border" />;
    case 'break':
      return <br key={key} />;
    default:
      return null;
  }
}
