// What the client libraries may weigh in an application. Parts that are loaded later are files of their own, and measured apart.
const react = ['react', 'react/jsx-runtime'];
const later = ['./deferred.js', './controller.js', '../messages.js'];

const checks = [
  { name: 'client: capture', path: 'packages/client/dist/index.js', import: '{ createClient }', limit: '8.4 KiB' },
  {
    name: 'client: capture and flags',
    path: 'packages/client/dist/index.js',
    import: '{ createClient, flags }',
    limit: '11.6 KiB',
  },
  {
    name: 'browser: all that is on by default',
    path: 'packages/browser/dist/index.js',
    import: '{ init }',
    ignore: later,
    limit: '17.2 KiB',
  },
  {
    name: 'browser: what follows the start of the page',
    path: 'packages/browser/dist/deferred.js',
    ignore: ['../resume.js', '../option-names/check-options.js', './project-features.js', './history-changes.js'],
    limit: '3 KiB',
  },
  { name: 'browser: what sends events of earlier pages', path: 'packages/browser/dist/resume.js', limit: '1 KiB' },
  { name: 'browser: dead clicks', path: 'packages/browser/dist/dead-clicks/index.js', limit: '3.5 KiB' },
  { name: 'browser: messages to the developer', path: 'packages/browser/dist/messages.js', limit: '1 KiB' },
  {
    name: 'browser: the recorder, where it is wanted',
    path: 'packages/browser/dist/replay/controller.js',
    ignore: ['./console-lines.js'],
    limit: '32 KiB',
  },
  {
    name: 'browser: lines of the console in recordings',
    path: 'packages/browser/dist/replay/console-lines.js',
    limit: '1 KiB',
  },
  {
    name: 'react: everything, with all that is on by default',
    path: 'packages/react/dist/index.js',
    ignore: [...react, ...later],
    limit: '19.5 KiB',
  },
  {
    name: 'react: the bindings alone',
    path: 'packages/react/dist/slim.js',
    ignore: [...react, '@tidemark/client'],
    limit: '2.5 KiB',
  },
  { name: 'player of public pages', path: 'packages/player/src/player.ts', limit: '95 KiB' },
];

export default checks.map((check) => ({
  ...check,
  gzip: true,
  modifyEsbuildConfig: (config) => ({ ...config, format: 'esm', loader: { ...config.loader, '.css': 'text' } }),
}));
