// Fails when a comment, name or page uses a private word where the field has a standard term.
import { execFileSync } from 'node:child_process';
import { root } from './run.mjs';

/** What to write instead of each pattern; patterns are extended regular expressions, matched without regard to case. */
const WORDS = /** @type {const} */ ([
  ['\\b(unless|is|are|was|were|be|been) told\\b|\\btold of\\b|\\btellOnce\\b', 'reported, sent, notified, given; "by default"'],
  ['\\baskers?\\b|\\baskedBy\\b|\\baskQuery\\b', 'caller, client, request'],
  ['\\b(laid|lay|lays) over\\b', 'overrides, merged'],
  ['\\bcome by\\b', 'obtained, fetched'],
  ['\\bof (ours|theirs)\\b', 'our own, name it'],
  ['\\bwhoever\\b|\\bthose who\\b', 'name the subject: the caller, the visitor, members'],
  ['\\bbreathe\\b', 'yield to the event loop'],
  ['\\bwaiting[- ]?room\\b|\\bbody[- ]?room\\b', 'queue, memory budget'],
  ['\\bdoors?\\b', 'public API, entry point, context'],
]);
/** Patterns for the titles of tests alone: in other places these words have ordinary meanings. */
const TITLE_WORDS = /** @type {const} */ ([
  ['told|tells? of', 'reports, responds, is documented; name the observable effect'],
  ['kept', 'cached, stored, unchanged'],
  ['who asks?|one who|asked (?:for|of|to)', 'the caller, the client, is requested'],
  ['(?:goes|go|went) on', 'continues, works'],
  ['(?:comes?|came) back', 'is restored, returned'],
  ['written down', 'is in the activity log'],
  ['made up for|hold up|holds up', 'is completed later, blocks'],
]);
/** Private words as names of variables, functions, parameters, properties and types, in tests as well. */
const NAME_WORDS = /** @type {const} */ ([
  ['asked|asker|askedBy', 'the request, query, fields, filters: what it holds'],
  ['told|said', 'the report, config, value: what it holds'],
  ['kept', 'cached, stored, remaining'],
  ['laid', 'overridden, merged, placed'],
  ['deeds?|wishes|comings|breathe|rooms|doors?', "the field's term"],
]);
/** What stands before a declared name: a keyword, or the beginning of a list of parameters, names or properties; not in a comment. */
const DECLARED =
  '^(?!\\s*(?://|\\*|/\\*)).*?(?:\\b(?:const|let|function|type|interface|class) |[({,[]\\s*|^\\s+)(?:\\w+: )?(?:is|has)?';
/** What stands behind it. */
const DECLARATION = '\\b(?=[?]?(?:[,:)}\\]<]| =|$))';
/** The beginning of a line with the title of a test, up to the title. */
const TITLE = `(?<![.\\w])(?:test|it|describe)(?:\\.\\w+(?:\\([^()]*\\))?)*\\(['"\`]|^\\s*(?:\\]\\)|\\}\\))\\(['"\`]`;
const FILES = [
  'packages/*/src/*.ts',
  'packages/*/src/*.tsx',
  'e2e/src/*.ts',
  'packages/*/*.md',
  'bench/src/*.ts',
  'scripts/*.mjs',
  'docs/*.md',
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ':!scripts/check-words.mjs',
  ':!*.gen.ts',
];

let failed = false;
const titles = TITLE_WORDS.map(([pattern, instead]) => [`(?:${TITLE})[^'"\`]*\\b(?:${pattern})\\b`, instead]);
const names = NAME_WORDS.map(([pattern, instead]) => [`${DECLARED}(?:${pattern})${DECLARATION}`, instead]);
for (const [pattern = '', instead] of [...WORDS, ...titles, ...names]) {
  const found = grep(pattern);
  if (!found) continue;
  failed = true;
  console.error(`${found}  Write instead: ${instead}\n`);
}
process.exit(failed ? 1 : 0);

/** @param {string} pattern @returns {string} the lines that match; empty when there are none */
function grep(pattern) {
  try {
    return execFileSync('git', ['grep', '-nPiI', pattern, '--', ...FILES], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });
  } catch {
    return '';
  }
}
