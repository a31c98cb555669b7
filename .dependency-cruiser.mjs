// What may import what. The lists below are the whole truth; there are no exceptions.

/** The server, upper layers first: a layer may import itself and what stands below it. */
const LAYERS = [
  ['main.ts'],
  ['commands/'],
  ['serve.ts', 'open-metadata.ts', 'open-stores.ts'],
  ['app.ts', 'background-work.ts', 'services.ts'],
  ['resources/', 'ingestion/', 'evaluation/'],
  ['access/'],
  ['auth/', 'analytics/', 'jobs/', 'purge/', 'backup/'],
  ['http/', 'geo/'],
  ['deps.ts'],
  ['caches/'],
  ['config.ts', 'machine-memory.ts', 'thread-pool.ts'],
  ['ports/'],
  ['kernel/'],
];

/** The web app, upper layers first. A screen does not import another screen. */
const WEB_LAYERS = [
  ['gallery/'],
  ['main.tsx'],
  ['routes.ts'],
  ['screens/'],
  ['insight/', 'share/'],
  ['chart/', 'filter/', 'variants/'],
  ['app/'],
  ['actions/'],
  ['data/'],
  ['query/'],
  ['address/'],
  ['ui/'],
];

/** What each package may import of the others; tests, benches and the testkit stand outside the product. */
const PACKAGES = {
  wire: [],
  flags: [],
  charts: ['flags'],
  api: [],
  client: ['wire'],
  browser: ['client'],
  react: ['browser', 'client'],
  'react-native': ['client', 'react'],
  node: ['client', 'flags'],
  server: ['flags', 'charts', 'wire'],
  web: ['api', 'react', 'charts', 'player'],
  player: [],
  'page-scripts': ['charts'],
  testkit: [],
  conformance: ['browser', 'client', 'node', 'react-native'],
};

const SRC = '^packages/server/src/';
const TEST = '\\.test\\.tsx?$|/testing/|/contract\\.ts$';
/** Folders entered only through their index.ts. */
const MODULE = '(resources/[^/]+|http/sdk|auth|access|backup|import|ingestion|evaluation|analytics|jobs|purge|adapters/[^/]+)';

const escaped = (/** @type {string} */ text) => text.replace('.', '\\.');
const any = (/** @type {string[]} */ entries) => `(${entries.map(escaped).join('|')})`;

const WEB = '^packages/web/src/';
const webDownwardsOnly = WEB_LAYERS.slice(1).map((layer, below) => ({
  name: `web app: ${layer.join(' ')} does not reach up`,
  severity: 'error',
  from: { path: `${WEB}${any(layer)}`, pathNot: TEST },
  to: { path: `${WEB}${any(WEB_LAYERS.slice(0, below + 1).flat())}` },
}));

const downwardsOnly = LAYERS.slice(1).map((layer, below) => ({
  name: `layers: ${layer.join(' ')} does not reach up`,
  severity: 'error',
  from: { path: `${SRC}${any(layer)}`, pathNot: TEST },
  to: {
    path: `${SRC}${any(LAYERS.slice(0, below + 1).flat())}`,
    // the type of what lives as long as the process: `services.ts` makes it of modules, and they get it with `deps`
    ...(layer.includes('deps.ts') ? { pathNot: `${SRC}services\\.ts$` } : {}),
  },
}));

const packagesToTheRight = Object.entries(PACKAGES).map(([name, allowed]) => ({
  name: `packages: ${name} imports ${allowed.join(', ') || 'no other package'}`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: `^packages/(${[name, ...allowed].join('|')})/` },
}));

export default {
  forbidden: [
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    ...downwardsOnly,
    ...webDownwardsOnly,
    {
      name: 'web app: a screen does not import another screen',
      severity: 'error',
      from: { path: `${WEB}screens/([^/]+)/` },
      to: { path: `${WEB}screens/`, pathNot: `${WEB}screens/$1/` },
    },
    {
      name: 'web app: address and query are pure',
      severity: 'error',
      from: { path: `${WEB}(address|query)/`, pathNot: TEST },
      to: { path: '(node_modules/react|node_modules/@tanstack)' },
    },
    {
      name: 'import speaks HTTP: of the service it sees the kernel alone',
      severity: 'error',
      from: { path: `${SRC}import/`, pathNot: TEST },
      to: { path: SRC, pathNot: `${SRC}(import/|kernel/|name-uuid\\.ts$)` },
    },
    {
      name: 'kernel imports nothing',
      severity: 'error',
      from: { path: `${SRC}kernel/`, pathNot: TEST },
      to: { pathNot: `${SRC}kernel/` },
    },
    {
      name: 'adapters see ports, kernel, the adapter of the machine and the types of config and deps',
      severity: 'error',
      from: { path: `${SRC}adapters/([^/]+)/`, pathNot: TEST },
      to: { path: SRC, pathNot: `${SRC}(adapters/$1/|adapters/system/index\\.ts|ports/|kernel/|config\\.ts|deps\\.ts)` },
    },
    {
      name: 'only commands, and what they start, choose adapters',
      severity: 'error',
      from: { path: SRC, pathNot: `${SRC}(commands/|serve\\.ts|open-metadata\\.ts|open-stores\\.ts|adapters/)|${TEST}` },
      to: { path: `${SRC}adapters/` },
    },
    {
      name: 'modules are imported through their index.ts',
      severity: 'error',
      from: { path: `${SRC}${MODULE}/`, pathNot: TEST },
      to: { path: `${SRC}${MODULE}/`, pathNot: `${SRC}($1/|${MODULE}/index\\.ts$)` },
    },
    {
      name: 'modules are imported from outside through their index.ts, too',
      severity: 'error',
      from: { path: SRC, pathNot: `${SRC}${MODULE}/|${TEST}` },
      to: { path: `${SRC}${MODULE}/`, pathNot: `${SRC}${MODULE}/index\\.ts$` },
    },
    {
      name: 'the product does not import its tests',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: `${TEST}|^packages/conformance/` },
      to: { path: `${TEST}|^e2e/|^bench/` },
    },
    ...packagesToTheRight,
    {
      name: 'deps.ts knows types alone',
      severity: 'error',
      from: { path: `${SRC}deps\\.ts$` },
      to: { path: SRC, dependencyTypesNot: ['type-only'] },
    },
    { name: 'every import is found', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'every package declares what it imports',
      severity: 'error',
      from: { path: '^(packages/[^/]+|e2e|bench)/src/', pathNot: TEST },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
