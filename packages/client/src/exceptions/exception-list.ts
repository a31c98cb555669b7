import type { Properties } from '../event.js';
import { isRecord } from '../is-record.js';
import { parseStack, type StackFrame } from './stack.js';

export interface Mechanism {
  exception_id: number;
  parent_id?: number;
  source?: 'cause' | 'member';
  type?: string;
  handled?: boolean;
  synthetic?: boolean;
}

export interface ExceptionEntry {
  type: string;
  value: string;
  mechanism: Mechanism;
  stacktrace?: { type: 'raw'; frames: StackFrame[] };
}

/** How an error was caught, as an integration or logger reports it. Invalid members are ignored. */
export interface ExceptionContext {
  /** How it was caught: `generic`, `onuncaughtexception`, `onunhandledrejection`, `onconsole`, `middleware`, `task`, `logger`. */
  type?: string;
  /** False: it escaped the application. */
  handled?: boolean;
  /** True: the stack was created where the error was captured, not where it was thrown. */
  synthetic?: boolean;
  /** `fatal`, `error`, `warning`, `log`, `info`, `debug`, or a logger's word for one of them. */
  level?: string;
  /** The hook that caught it, like `browser.window_onerror`. */
  source?: string;
  fingerprint?: string;
}

export interface StackSettings {
  /** Default `web:javascript`. */
  platform?: string;
  /** Stands in for values that are thrown without a stack. */
  syntheticStack?: string;
}

const MOST = 50;
const TYPES = /^(generic|onuncaughtexception|onunhandledrejection|onconsole|middleware|task|logger)$/;
const LEVELS = /^(fatal|error|warning|log|info|debug)$/;
const OTHER_LEVELS: Record<string, string> = {
  critical: 'fatal',
  alert: 'fatal',
  emergency: 'fatal',
  warn: 'warning',
  notice: 'info',
  trace: 'debug',
};

/**
 * The properties of an `$exception` event: the error, its causes and members (parents first, at most 50), and the context.
 * @example exceptionProperties(new TypeError('boom'), { handled: true })
 */
export function exceptionProperties(error: unknown, context?: ExceptionContext, settings: StackSettings = {}): Properties {
  const list: ExceptionEntry[] = [];
  const seen = new Set<unknown>();
  const add = (current: unknown, nested?: Pick<Mechanism, 'parent_id' | 'source'>) => {
    if (list.length >= MOST || seen.has(current)) return;
    if (typeof current === 'object' && current !== null) seen.add(current);
    const id = list.length;
    const { entry, synthetic } = describe(current, settings, nested === undefined);
    entry.mechanism = {
      exception_id: id,
      ...(nested ? { type: 'chained', ...nested } : {}),
      ...(context ? { synthetic } : {}),
    };
    if (!nested && context) Object.assign(entry.mechanism, boundary(context));
    list.push(entry);
    if (!isObject(current)) return;
    if (current.cause !== undefined && current.cause !== null) add(current.cause, { parent_id: id, source: 'cause' });
    if (Array.isArray(current.errors)) for (const member of current.errors) add(member, { parent_id: id, source: 'member' });
  };
  add(error);
  const first = list[0];
  return {
    $exception_list: list,
    $exception_type: first?.type,
    $exception_message: first?.value,
    ...(context ? { $exception_level: levelOf(context.level) } : {}),
    ...(typeof context?.source === 'string' ? { $exception_source: context.source } : {}),
    ...(typeof context?.fingerprint === 'string' ? { $exception_fingerprint: context.fingerprint } : {}),
  };
}

function boundary({ type, handled, synthetic }: ExceptionContext): Partial<Mechanism> {
  return {
    type: typeof type === 'string' && TYPES.test(type) ? type : 'generic',
    ...(typeof handled === 'boolean' ? { handled } : {}),
    ...(typeof synthetic === 'boolean' ? { synthetic } : {}),
  };
}

function levelOf(level: unknown): string {
  const word = typeof level === 'string' ? level.toLowerCase() : '';
  return LEVELS.test(word) ? word : ((Object.hasOwn(OTHER_LEVELS, word) ? OTHER_LEVELS[word] : undefined) ?? 'error');
}

function describe(
  thrown: unknown,
  { platform = 'web:javascript', syntheticStack }: StackSettings,
  outermost: boolean,
): { entry: ExceptionEntry; synthetic: boolean } {
  const isError = isObject(thrown) && typeof thrown.message === 'string';
  const own = isError && typeof thrown.stack === 'string' ? parseStack(thrown.stack, platform) : [];
  const frames = own.length || !outermost || !syntheticStack ? own : parseStack(syntheticStack, platform);
  return {
    synthetic: !own.length,
    entry: {
      type: isError && typeof thrown.name === 'string' && thrown.name ? thrown.name : 'Error',
      value: isError ? String(thrown.message) : textOf(thrown),
      mechanism: { exception_id: 0 },
      ...(frames.length ? { stacktrace: { type: 'raw', frames } } : {}),
    },
  };
}

/** Errors of other realms, such as frames, are not instances of this `Error`, so their members are checked instead. */
function isObject(
  value: unknown,
): value is { message?: unknown; name?: unknown; stack?: unknown; cause?: unknown; errors?: unknown } {
  return typeof value === 'object' && value !== null;
}

function textOf(thrown: unknown): string {
  try {
    return isRecord(thrown) || Array.isArray(thrown) ? JSON.stringify(thrown) : String(thrown);
  } catch {
    return 'An object that cannot be written';
  }
}
