import { autocompletion, closeBrackets } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, Prec } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';
import { Button } from './Button.js';

export interface CodeEditorProps {
  label: string;
  language: 'sql' | 'json';
  text: string;
  /** Names that are completed in SQL: columns by table. */
  schema?: Record<string, string[]>;
  onChange?: (text: string) => void;
  /** Ctrl or Cmd with Enter, and the button. */
  onSubmit?: (text: string) => void;
  submitLabel?: string;
}

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-content': { fontFamily: 'var(--mono)', minHeight: '180px', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-3)', border: 'none' },
});

/** The colors of the palette for words, which have contrast in both themes. */
const COLORS = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--c4-text)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--c3-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--c2-text)' },
  { tag: [tags.typeName, tags.standard(tags.name), tags.propertyName], color: 'var(--c1-text)' },
  { tag: tags.comment, color: 'var(--text-3)' },
]);

/** A code editor. It loads about 120 KB: import it lazily. */
export function CodeEditor({ label, language, text, schema, onChange, onSubmit, submitLabel }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const callbacks = useRef({ onChange, onSubmit });
  callbacks.current = { onChange, onSubmit };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; a new text is taken over below
  useEffect(() => {
    if (!host.current) return;
    const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
    const submit = keymap.of([
      {
        key: 'Mod-Enter',
        run: (editor) => {
          callbacks.current.onSubmit?.(editor.state.doc.toString());
          return true;
        },
      },
    ]);
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: text,
        extensions: [
          Prec.highest(submit),
          lineNumbers(),
          drawSelection(),
          bracketMatching(),
          closeBrackets(),
          autocompletion(),
          EditorView.lineWrapping,
          syntaxHighlighting(COLORS),
          language === 'sql' ? sql({ dialect: PostgreSQL, ...(schema && { schema }) }) : json(),
          LOOK,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of(
            ({ docChanged, state }) => docChanged && callbacks.current.onChange?.(state.doc.toString()),
          ),
          ...(nonce ? [EditorView.cspNonce.of(nonce)] : []),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, [language, label]);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  return (
    <div className="grid gap-2">
      <div ref={host} className="overflow-hidden rounded-l border border-border" />
      {onSubmit && (
        <div>
          <Button onPress={() => onSubmit(view.current?.state.doc.toString() ?? text)}>{submitLabel ?? 'Use'}</Button>
        </div>
      )}
    </div>
  );
}
