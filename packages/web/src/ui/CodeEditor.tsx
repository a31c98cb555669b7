import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeCompletion,
} from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { PostgreSQL, type SQLNamespace, sql } from '@codemirror/lang-sql';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { Compartment, EditorState, Prec, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef, useState } from 'react';
import { Button } from './Button.js';
import { nameInSql } from './name-in-sql.js';

export interface CodeEditorProps {
  label: string;
  language: 'sql' | 'json';
  text: string;
  /** Names that are completed in SQL: columns by table, and what is below a column. */
  schema?: SQLNamespace;
  /** The table whose columns are completed before a `from` is written. */
  defaultTable?: string;
  /** Values that are completed inside a text in quotes. @param before what stands in front of the quote */
  completeText?: (before: string) => readonly string[];
  /** Names that are completed below a path. @param path such as `person.properties` */
  completePath?: (path: string) => readonly string[];
  /** Where the text is wrong, as positions in it. */
  fault?: { from: number; to: number } | null;
  onChange?: (text: string) => void;
  /** Ctrl or Cmd with Enter, and the button. */
  onSubmit?: (text: string) => void;
  submitLabel?: string;
  /** Whether a button below submits; otherwise the keys alone do. Default: true. */
  hasButton?: boolean;
  /** Gets a function that inserts a text at the cursor. */
  onReady?: (insert: (text: string) => void) => void;
}

const LOOK = EditorView.theme({
  '&': { backgroundColor: 'var(--sunken)', color: 'var(--text)', fontSize: '12px' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-content': { fontFamily: 'var(--mono)', minHeight: '180px', caretColor: 'var(--text)' },
  // browsers give a line the color of text that was replaced in it, which stays when the theme changes
  '.cm-line': { color: 'var(--text) !important' },
  '.cm-fault': { textDecoration: 'underline wavy var(--bad)', backgroundColor: 'var(--bad-soft)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--r-l)',
    boxShadow: 'var(--shadow-pop)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { color: 'var(--text-2)' },
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

/** Marks where the text is wrong, until it changes. */
const setFault = StateEffect.define<{ from: number; to: number } | null>();
const faultMark = Decoration.mark({ class: 'cm-fault' });
const faultField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    for (const effect of effects) {
      if (!effect.is(setFault)) continue;
      const length = state.doc.length;
      const from = Math.min(effect.value?.from ?? 0, Math.max(0, length - 1));
      const to = Math.min(Math.max(effect.value?.to ?? 0, from + 1), length);
      return effect.value && from < to ? Decoration.set([faultMark.range(from, to)]) : Decoration.none;
    }
    return docChanged ? Decoration.none : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Replaces what is selected by what is typed. The browser itself would write the look of the replaced text into an inline style, which the
 * policy of the page refuses.
 */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    const { data, inputType, isComposing } = event;
    if (inputType !== 'insertText' || data === null || empty || isComposing) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    // brackets and quotes around a selection
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

/** Characters in front of a quote that say what the text is compared with. */
const BEFORE = 80;

/** A code editor. It loads about 120 KB: import it lazily. */
export function CodeEditor(props: CodeEditorProps) {
  const { label, language, text, schema, defaultTable, completeText, completePath, fault, onChange, onSubmit, submitLabel } =
    props;
  const { hasButton = true, onReady } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const callbacks = useRef({ onChange, onSubmit, completeText, completePath, onReady });
  callbacks.current = { onChange, onSubmit, completeText, completePath, onReady };
  const [languagePart] = useState(() => new Compartment());
  const languageOf = () =>
    language === 'sql' ? sql({ dialect: PostgreSQL, ...(schema && { schema }), ...(defaultTable && { defaultTable }) }) : json();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; a new text is taken over below
  useEffect(() => {
    if (!host.current) return;
    const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
    const submit = keymap.of([
      {
        key: 'Mod-Enter',
        run: (editor) => {
          closeCompletion(editor);
          callbacks.current.onSubmit?.(editor.state.doc.toString());
          return true;
        },
      },
    ]);
    // one function for the life of the editor: a completion whose function is another by now is dropped
    const ownData = [{ autocomplete: (context: CompletionContext) => textCompletions(context, callbacks.current) }];
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
          autocompletion({ icons: false }),
          EditorView.lineWrapping,
          syntaxHighlighting(COLORS),
          languagePart.of(languageOf()),
          EditorState.languageData.of(() => ownData),
          faultField,
          replaceSelected,
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
    callbacks.current.onReady?.((inserted) => {
      editor.dispatch(editor.state.replaceSelection(inserted));
      editor.focus();
    });
    return () => editor.destroy();
  }, [language, label]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the language is made of the schema
  useEffect(() => {
    view.current?.dispatch({ effects: languagePart.reconfigure(languageOf()) });
  }, [schema, defaultTable]);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  const [from, to] = [fault?.from ?? null, fault?.to ?? null];
  useEffect(() => {
    view.current?.dispatch({ effects: setFault.of(from === null || to === null ? null : { from, to }) });
  }, [from, to]);
  return (
    <div className="grid gap-2">
      <div ref={host} className="overflow-hidden rounded-l border border-border" />
      {onSubmit && hasButton && (
        <div>
          <Button onPress={() => onSubmit(view.current?.state.doc.toString() ?? text)}>{submitLabel ?? 'Use'}</Button>
        </div>
      )}
    </div>
  );
}

/** Completes inside a text in quotes, and names below a path. */
function textCompletions(
  context: CompletionContext,
  { completeText, completePath }: { [Name in 'completeText' | 'completePath']: CodeEditorProps[Name] | undefined },
): CompletionResult | null {
  const quoted = context.matchBefore(/'[^'\n]*/);
  const isInQuotes = quoted !== null && context.state.sliceDoc(0, quoted.from).split("'").length % 2 === 1;
  if (isInQuotes) {
    const texts = completeText?.(context.state.sliceDoc(Math.max(0, quoted.from - BEFORE), quoted.from)) ?? [];
    if (texts.length === 0) return null;
    return { from: quoted.from + 1, options: texts.map((label) => ({ label, boost: 99 })), validFor: /^[^']*$/ };
  }
  const path = context.matchBefore(/[\w$]+(\.[\w$]+)*\.[\w$]*/);
  if (!path) return null;
  const cut = path.text.lastIndexOf('.');
  const names = completePath?.(path.text.slice(0, cut)) ?? [];
  if (names.length === 0) return null;
  const options = names.map((label) => ({ label, apply: nameInSql(label), boost: 99 }));
  return { from: path.from + cut + 1, options, validFor: /^[\w$]*$/ };
}
