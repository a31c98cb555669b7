import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Bookmark, CircleAlert, History, Play } from 'lucide-react';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { useActions } from '../../actions/actions.js';
import { useMayCreate } from '../../app/object-level.js';
import { useProject, useProjectId } from '../../app/project-context.js';
import { useSearchChange } from '../../app/use-search-change.js';
import { InsightChart } from '../../chart/InsightChart.js';
import { refreshInsights } from '../../data/insights.js';
import { runSql, type SqlNode, saveSql, sqlQuery } from '../../data/sql.js';
import { ExportMenu } from '../../share/ExportMenu.js';
import { Badge } from '../../ui/Badge.js';
import { Button } from '../../ui/Button.js';
import { Dialog } from '../../ui/Dialog.js';
import { Form } from '../../ui/Form.js';
import { PageHead } from '../../ui/PageHead.js';
import { PopButton } from '../../ui/PopButton.js';
import { Segmented } from '../../ui/Segmented.js';
import { Select } from '../../ui/Select.js';
import { Message, Skeleton } from '../../ui/states.js';
import { TextField } from '../../ui/TextField.js';
import { Time } from '../../ui/Time.js';
import { faultPosition, lineAndColumn } from './fault-position.js';
import { noteRun, readHistory } from './history.js';
import { ResultTable } from './ResultTable.js';
import type { SqlSearch, SqlView } from './route.js';
import { SchemaTree } from './SchemaTree.js';
import { useCompletion } from './use-completion.js';
import { useText } from './use-text.js';

/** CodeMirror is loaded with this screen alone. */
const CodeEditor = lazy(async () => ({ default: (await import('../../ui/CodeEditor.js')).CodeEditor }));

const route = getRouteApi('/p/$project/sql');

const VIEWS: readonly { value: SqlView; label: string }[] = [
  { value: 'table', label: 'Table' },
  { value: 'line', label: 'Lines' },
  { value: 'bar', label: 'Bars' },
  { value: 'ranking', label: 'Ranking' },
  { value: 'pie', label: 'Shares' },
  { value: 'number', label: 'Number' },
];

const DISPLAYS: Record<Exclude<SqlView, 'table'>, string> = {
  line: 'ActionsLineGraph',
  bar: 'ActionsBar',
  ranking: 'ActionsBarValue',
  pie: 'ActionsPie',
  number: 'BoldNumber',
};

/** Questions in SQL: the editor with the tables beside it, and the answer as a table or chart. */
export function SqlScreen() {
  const project = useProjectId();
  const { timezone } = useProject();
  const { q, view = 'table', x } = route.useSearch();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mayCreate = useMayCreate('insight');
  const [text, setText] = useText(project, q);
  const [runs, setRuns] = useState(() => readHistory(project));
  const [isSaving, setSaving] = useState(false);
  const insert = useRef<((text: string) => void) | null>(null);
  const options = sqlQuery(project, q ?? null);
  const answer = useQuery({ ...options, placeholderData: keepPreviousData });
  const set = useSearchChange<SqlSearch>();
  const run = (sql: string) => {
    const wanted = sql.trim();
    if (wanted === '') return;
    setRuns(noteRun(project, wanted, Date.now()));
    if (wanted !== q) return set({ q: wanted, x: undefined }, false);
    // the same text again: what is known may be old
    void queries
      .fetchQuery({ ...options, staleTime: 0, queryFn: ({ signal }) => runSql(project, wanted, signal) })
      .catch(() => undefined);
  };
  const latest = useRef({ run, text });
  latest.current = { run, text };
  useActions(
    useMemo(
      () => [
        {
          id: 'run',
          label: 'Run the select',
          group: 'This screen',
          shortcut: 'mod+enter',
          perform: () => latest.current.run(latest.current.text),
        },
        ...(mayCreate && q !== undefined
          ? [{ id: 'save', label: 'Save as insight', group: 'This screen', shortcut: 's', perform: () => setSaving(true) }]
          : []),
      ],
      [mayCreate, q],
    ),
  );
  const isAsRun = text.trim() === (q ?? '');
  const message = answer.error && !answer.isFetching ? answer.error.message : null;
  const place = message !== null && q !== undefined && isAsRun ? faultPosition(text, message) : null;
  const completion = useCompletion(project);
  const node: SqlNode = {
    kind: 'DataVisualizationNode',
    source: { kind: 'HogQLQuery', query: q ?? '' },
    ...(view !== 'table' && {
      display: DISPLAYS[view],
      ...(x !== undefined && { chartSettings: { xAxis: { column: x } } }),
    }),
  };
  const data = answer.error ? undefined : answer.data;
  return (
    <>
      <PageHead
        title="SQL"
        badges={!isAsRun && <Badge>Not run yet, stays in this tab</Badge>}
        actions={
          <>
            {runs.length > 0 && (
              <PopButton label="History" icon={<History size={14} aria-hidden />}>
                {(close) => (
                  <ul aria-label="Selects of this session" className="max-h-80 w-96 max-w-full overflow-y-auto">
                    {runs.map(({ sql, at }) => (
                      <li key={sql}>
                        <button
                          type="button"
                          onClick={() => {
                            close();
                            setText(sql);
                            run(sql);
                          }}
                          className="flex w-full items-baseline gap-2 rounded-m px-2 py-1.5 text-left hover:bg-accent-soft"
                        >
                          <span className="line-clamp-2 min-w-0 flex-1 font-mono text-12 wrap-anywhere">{sql}</span>
                          <span className="text-11 text-text-3">
                            <Time at={new Date(at).toISOString()} zone={timezone} />
                          </span>
                        </button>
                      </li>
                    ))}
                  </ul>
                )}
              </PopButton>
            )}
            {data && <ExportMenu of={{ export_context: { source: view === 'table' ? node.source : node } }} />}
            {data && mayCreate && (
              <Button icon={<Bookmark size={14} aria-hidden />} onPress={() => setSaving(true)}>
                Save as insight
              </Button>
            )}
            <Button
              kind="primary"
              icon={<Play size={14} aria-hidden />}
              isDisabled={text.trim() === ''}
              onPress={() => run(text)}
            >
              Run
            </Button>
          </>
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <aside
          aria-label="Tables and columns"
          className="flex w-[240px] shrink-0 flex-col border-r border-border bg-surface max-lg:w-full max-lg:border-r-0 max-lg:border-b"
        >
          <SchemaTree onPick={(picked) => insert.current?.(picked)} />
        </aside>
        <div className="flex min-w-0 flex-1 flex-col gap-3 overflow-y-auto p-4 max-lg:overflow-visible">
          <Suspense fallback={<div className="h-56 rounded-l border border-border bg-sunken" />}>
            <CodeEditor
              label="SQL"
              language="sql"
              text={text}
              defaultTable="events"
              {...completion}
              fault={place}
              onChange={setText}
              onSubmit={run}
              hasButton={false}
              onReady={(ready) => {
                insert.current = ready;
              }}
            />
          </Suspense>
          {message !== null && (
            <p role="alert" className="flex items-start gap-2 rounded-l bg-bad-soft px-3 py-2 text-13 text-bad">
              <CircleAlert size={16} aria-hidden className="mt-px shrink-0" />
              <span className="min-w-0 wrap-anywhere">
                {place && (
                  <b className="tnum font-medium">
                    {`Line ${lineAndColumn(text, place.from).line}, column ${lineAndColumn(text, place.from).column}: `}
                  </b>
                )}
                {message}
              </span>
            </p>
          )}
          {q === undefined && (
            <Message title="Write a select, then run it with Ctrl+Enter">
              The names of tables, columns, events and properties are completed while you write.
            </Message>
          )}
          {answer.isFetching && !data && <Skeleton rows={5} />}
          {data && (
            <>
              <div className="flex flex-wrap items-center gap-3">
                <div className="max-w-full overflow-x-auto">
                  <Segmented
                    label="Shown as"
                    options={VIEWS}
                    value={view}
                    onChange={(next) => set({ view: next === 'table' ? undefined : next })}
                  />
                </div>
                {view !== 'table' && view !== 'number' && (
                  <div className="w-44">
                    <Select
                      label="Column below the chart"
                      hideLabel
                      isSmall
                      options={[
                        { value: '', label: 'By itself' },
                        ...data.columns.map((column) => ({ value: column, label: `over ${column}` })),
                      ]}
                      value={x !== undefined && data.columns.includes(x) ? x : ''}
                      onChange={(next) => set({ x: next || undefined })}
                    />
                  </div>
                )}
                <span role="status" className="tnum text-12 text-text-2">
                  {`${data.results.length.toLocaleString('en')} ${data.results.length === 1 ? 'row' : 'rows'}`}
                  {data.took !== null && ` in ${data.took.toLocaleString('en')} ms`}
                  {data.hasMore && '. There are more: write a limit, up to 10,000'}
                </span>
              </div>
              <div className={answer.isPlaceholderData ? 'opacity-45' : ''}>
                {data.results.length === 0 ? (
                  <Message title="No rows">The select is right, and nothing matches it.</Message>
                ) : view === 'table' ? (
                  <ResultTable answer={data} />
                ) : (
                  <div className="rounded-l border border-border bg-surface p-4">
                    <InsightChart query={node} answer={data} height={340} />
                  </div>
                )}
              </div>
            </>
          )}
        </div>
      </div>
      <Dialog title="Save as insight" isOpen={isSaving} onClose={() => setSaving(false)}>
        <Form
          fields={['name']}
          submit="Save insight"
          submitting="Saving…"
          onSubmit={async ({ name = '' }) => {
            const made = await saveSql(project, node, name);
            await refreshInsights(queries, project);
            await navigate({ to: `/p/${project}/insights/${made.short_id}` as string });
          }}
        >
          <TextField name="name" label="Name" isRequired autoFocus />
        </Form>
      </Dialog>
    </>
  );
}
