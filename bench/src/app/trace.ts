import { writeFile } from 'node:fs/promises';
import type { Browser } from '@tidemark/testkit';

type Page = Awaited<ReturnType<Browser['newPage']>>;

/** An event of a trace; times in microseconds. */
interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  ts: number;
  dur?: number;
  /** Processor time. */
  tdur?: number;
  id?: string;
  args?: {
    name?: string;
    data?: {
      functionName?: string;
      url?: string;
      cpuProfile?: { nodes?: ProfileNode[]; samples?: number[] };
      timeDeltas?: number[];
      startTime?: number;
    };
  };
}

interface ProfileNode {
  id: number;
  parent?: number;
  callFrame: { functionName: string; url?: string; lineNumber?: number };
}

const CATEGORIES = ['toplevel', 'devtools.timeline', 'blink', 'v8', 'disabled-by-default-v8.cpu_profiler'];
const TASKS = /^(RunTask|ThreadControllerImpl::RunTask)$/;

/** Traces a page while something happens, and prints its longest tasks with what they were spent on. @param file gets the trace; undefined: none */
export async function traced(browser: Browser, page: Page, file: string | undefined, act: () => Promise<void>): Promise<void> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const trace = await browser.stopTracing();
  if (file) await writeFile(file, trace);
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  for (const line of longestTasks(traceEvents)) console.log(line);
}

/** The longest tasks of the main threads of a trace in words. */
function longestTasks(events: readonly TraceEvent[], count = 4): string[] {
  const mains = new Set(
    events
      .filter((one) => one.name === 'thread_name' && one.args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const ofMains = events.filter(({ pid, tid, ph }) => ph === 'X' && mains.has(`${pid} ${tid}`));
  const tasks = ofMains.filter(({ name }) => TASKS.test(name)).sort((a, b) => (b.dur ?? 0) - (a.dur ?? 0));
  return tasks.slice(0, count).flatMap((task) => {
    const isWithin = (one: TraceEvent) =>
      one.pid === task.pid && one.tid === task.tid && one.ts >= task.ts && one.ts + (one.dur ?? 0) <= task.ts + (task.dur ?? 0);
    const inside = ofMains.filter((one) => one !== task && isWithin(one) && !TASKS.test(one.name));
    return [
      `task of ${ms(task.dur)} ms, ${ms(task.tdur)} ms of processor time`,
      ...largest(ownTimes(inside)).map((line) => `  ${line}`),
      ...largest(sampled(events, task)).map((line) => `    ${line}`),
    ];
  });
}

/** Time of events without that of the events inside them, by name. */
function ownTimes(events: readonly TraceEvent[]): Map<string, number> {
  const times = new Map<string, number>();
  const add = (name: string, by: number) => times.set(name, (times.get(name) ?? 0) + by);
  const open: TraceEvent[] = [];
  for (const one of [...events].sort((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    while (open.length > 0 && endOf(open.at(-1)) <= one.ts) open.pop();
    const outer = open.at(-1);
    if (outer) add(nameOf(outer), -(one.dur ?? 0));
    add(nameOf(one), one.dur ?? 0);
    open.push(one);
  }
  return times;
}

const endOf = (event: TraceEvent | undefined): number => (event ? event.ts + (event.dur ?? 0) : 0);

const nameOf = ({ name, args }: TraceEvent): string =>
  name === 'FunctionCall' || name === 'EvaluateScript'
    ? `${name} ${args?.data?.functionName ?? ''} ${fileOf(args?.data?.url)}`
    : name;

const fileOf = (url = ''): string => url.slice(url.lastIndexOf('/') + 1);

/** Samples of the profiler within a task, by function. */
function sampled(events: readonly TraceEvent[], task: TraceEvent): Map<string, number> {
  const nodes = new Map<string, ProfileNode>();
  const times = new Map<string, number>();
  let at = 0;
  for (const { name, pid, id, args } of [...events].sort((a, b) => a.ts - b.ts)) {
    if (pid !== task.pid) continue;
    if (name === 'Profile') at = args?.data?.startTime ?? 0;
    if (name !== 'ProfileChunk') continue;
    for (const node of args?.data?.cpuProfile?.nodes ?? []) nodes.set(`${id} ${node.id}`, node);
    for (const [index, sample] of (args?.data?.cpuProfile?.samples ?? []).entries()) {
      const delta = args?.data?.timeDeltas?.[index] ?? 0;
      at += delta;
      const frame = nodes.get(`${id} ${sample}`)?.callFrame;
      if (!frame || at < task.ts || at > endOf(task)) continue;
      const place = `${frame.functionName || '(anonymous)'} ${fileOf(frame.url)}:${frame.lineNumber ?? 0}`;
      times.set(place, (times.get(place) ?? 0) + delta);
    }
  }
  return times;
}

const largest = (times: ReadonlyMap<string, number>): string[] =>
  [...times]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 12)
    .filter(([, time]) => time >= 500)
    .map(([name, time]) => `${ms(time)} ms ${name}`);

const ms = (microseconds = Number.NaN): string => (microseconds / 1_000).toFixed(1);
