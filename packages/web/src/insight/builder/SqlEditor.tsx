import { lazy, Suspense } from 'react';

/** CodeMirror is loaded when somebody writes SQL. */
const CodeEditor = lazy(async () => ({ default: (await import('../../ui/CodeEditor.js')).CodeEditor }));

/** The statement of a SQL question. Ctrl or Cmd with Enter asks it. */
export const SqlEditor = ({ statement, onChange }: { statement: string; onChange: (statement: string) => void }) => (
  <Suspense fallback={<div className="h-56 rounded-l border border-border bg-sunken" />}>
    <CodeEditor label="SQL" language="sql" text={statement} onSubmit={onChange} submitLabel="Run" />
  </Suspense>
);
