// Fails when a module of the server has state of its own. What lives long is made in packages/server/src/services.ts, or belongs to a request.
import { execFileSync } from 'node:child_process';
import { root } from './run.mjs';

/** Declarations at the top of a module that can change; Perl's regular expressions. A constant set or map is declared as `ReadonlySet` or `ReadonlyMap`. */
const STATE = [
  '^(export )?(let|var) ',
  '^(export )?const \\w+(: (?!Readonly)[^=]+)? = new (Map|Set)(<.*>)?\\(\\)',
  '^(export )?const \\w+(: (?!readonly)[^=]+)? = (\\[\\]|\\{\\});',
  '^(export )?const \\w+(: [^=]+)? = new (WeakSet|LRUCache|Piscina|Pool|AsyncLocalStorage|AbortController|EventEmitter|DataLoader)\\b',
  '^(export )?const \\w+(: [^=]+)? = create(?!Require\\b)\\w+\\(',
  // an entry lives as long as its key: it may be a request, a value or a buffer, and nothing that lives as long as the process
  '^(export )?const \\w+(: [^=]+)? = new WeakMap(?!<(FastifyRequest|Buffer|FlagRow|Expr|z\\.core\\.\\$ZodType)\\b)',
];

/** Exceptions, as `file:name`, with their reason. */
const ALLOWED = new Map([['resources/exports/render/visual-runs.ts:bidi', 'a library without state']]);
const SOURCES = 'packages/server/src/';
const FILES = [`${SOURCES}*.ts`, ':!*.test.ts', `:!${SOURCES}testing/`];

const found = STATE.flatMap(grep).filter((line) => !ALLOWED.has(nameOf(line)));
if (found.length > 0) {
  console.error(`${found.join('\n')}\nModules have no state: create it in services.ts, or for a request, and pass it on.`);
  process.exit(1);
}

/** @param {string} line as `git grep` prints it */
function nameOf(line) {
  const [, file = '', name = ''] = /^(.*?):\d+:(?:export )?(?:const|let|var) (\w+)/.exec(line) ?? [];
  return `${file.slice(SOURCES.length)}:${name}`;
}

/** @param {string} pattern @returns {string[]} the lines that match */
function grep(pattern) {
  try {
    return execFileSync('git', ['grep', '-nPI', pattern, '--', ...FILES], { cwd: root, encoding: 'utf8' })
      .trimEnd()
      .split('\n');
  } catch (error) {
    // git exits with 1 if no line matches; anything else, such as a git without Perl's expressions, is no result
    if (error instanceof Error && 'status' in error && error.status === 1) return [];
    throw error;
  }
}
