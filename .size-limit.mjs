// What the client libraries may weigh in an application. Parts that are loaded later are files of their own, and measured apart.
// Bundled by esbuild and minified by terser, as webpack does and as the script of the service is. SIZES=esbuild prints the sizes by
// esbuild alone, which are 3 to 6 % larger.
import { readFile, writeFile } from 'node:fs/promises';
import { minify } from 'terser';

const react = ['react', 'react/jsx-runtime'];
const later = ['./deferred.js', './controller.js', '../messages.js', './widget/widget.js'];

const checks = [
  { name: 'client: capture', path: 'packages/client/dist/index.js', import: '{ createClient }', limit: '8.1 KiB' },
  {
    name: 'client: capture and flags',
    path: 'packages/client/dist/index.js',
    import: '{ createClient, flags }',
    limit: '11.1 KiB',
  },
  {
    name: 'browser: all that is on by default',
    path: 'packages/browser/dist/index.js',
    import: '{ init }',
    ignore: later,
    limit: '16.5 KiB',
  },
  {
    name: 'browser: what follows the start of the page',
    path: 'packages/browser/dist/deferred.js',
    ignore: ['../resume.js', '../option-names/check-options.js', './project-features.js', './history-changes.js'],
    limit: '3 KiB',
  },
  { name: 'browser: what sends events of earlier pages', path: 'packages/browser/dist/resume.js', limit: '1 KiB' },
  { name: 'browser: dead clicks', path: 'packages/browser/dist/dead-clicks/index.js', limit: '3 KiB' },
  {
    name: 'browser: the widget of surveys, when one is due',
    path: 'packages/browser/dist/surveys/widget/widget.js',
    limit: '7 KiB',
  },
  { name: 'browser: messages to the developer', path: 'packages/browser/dist/messages.js', limit: '1 KiB' },
  {
    name: 'browser: the recorder, where it is wanted',
    path: 'packages/browser/dist/replay/controller.js',
    ignore: ['./console-lines.js'],
    limit: '31.5 KiB',
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
    limit: '18.6 KiB',
  },
  {
    name: 'react: the bindings alone',
    path: 'packages/react/dist/slim.js',
    ignore: [...react, '@tidemark/client'],
    limit: '2.5 KiB',
  },
  { name: 'script of the API reference', path: 'packages/page-scripts/src/reference/reference.ts', limit: '3 KiB' },
  { name: 'charts of public pages', path: 'packages/page-scripts/src/charts.ts', limit: '6 KiB' },
  { name: 'player of public pages', path: 'packages/player/src/player.ts', limit: '99 KiB' },
];

/** @type {import('esbuild').Plugin} */
const terser = {
  name: 'terser',
  setup({ onEnd }) {
    onEnd(async ({ metafile }) => {
      for (const file of Object.keys(metafile?.outputs ?? {}).filter((name) => name.endsWith('.js'))) {
        const { code = '' } = await minify(await readFile(file, 'utf8'), { module: true, ecma: 2020 });
        await writeFile(file, code);
      }
    });
  },
};

export default checks.map((check) => ({
  ...check,
  gzip: true,
  modifyEsbuildConfig: (config) => ({
    ...config,
    format: 'esm',
    loader: { ...config.loader, '.css': 'text' },
    plugins: [...(config.plugins ?? []), ...(process.env.SIZES === 'esbuild' ? [] : [terser])],
  }),
}));
