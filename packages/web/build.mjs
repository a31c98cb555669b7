// `node packages/web/build.mjs [FOLDER]`: builds the web app into the files of the service, or into another folder: hashed names, which
// browsers may cache for ever, and a Brotli form of each.
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { compressApp, SERVED } from './compress.mjs';

/**
 * Leaves out the words of React Aria in other languages: the app is in English, and a control that speaks another one stands alone.
 * @type {import('vite').Plugin}
 */
const englishOnly = {
  name: 'english-only',
  enforce: 'pre',
  load: {
    filter: { id: /[\\/]react-aria[\\/].*[\\/]intl[\\/]\w+[\\/](?!en-US)[a-z]{2}-[A-Z]{2}\.m?js$/ },
    // the dictionaries skip languages without words
    handler: () => 'export default undefined;',
  },
};

/**
 * Modules that most screens load are one file, and so are the icons that several do: as files of their own, a browser would request
 * eighty of them for one screen. The order matters: what a module imports is shared by as many screens as itself, so the first group
 * imports nothing of the second. Files that import each other would run before what they need is there.
 */
const sharedFiles = [
  { name: 'base', minShareCount: 40, includeDependenciesRecursively: false },
  { name: 'icons', test: /[\\/]lucide-react[\\/].*[\\/]icons[\\/]/, minShareCount: 3, includeDependenciesRecursively: false },
];

/**
 * Fails the build when files import each other at once: the app would stop before it shows anything.
 * @type {import('vite').Plugin}
 */
const noCycles = {
  name: 'no-cycles',
  generateBundle(_options, bundle) {
    /** @type {Set<string>} */
    const done = new Set();
    /** @param {string} file @param {string[]} path */
    const visit = (file, path) => {
      if (path.includes(file)) this.error(`Files of the app import each other: ${[...path, file].join(', ')}.`);
      const output = bundle[file];
      if (output?.type !== 'chunk' || done.has(file)) return;
      for (const imported of output.imports) visit(imported, [...path, file]);
      done.add(file);
    };
    for (const file in bundle) visit(file, []);
  },
};

/**
 * What the build and the development server have in common.
 * @satisfies {import('vite').InlineConfig}
 */
export const APP = {
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  plugins: [react(), tailwind(), englishOnly, noCycles],
};

/** @param {string} folder gets `index.html` and, below `app/`, what it loads */
async function buildWebApp(folder) {
  await build({
    ...APP,
    logLevel: 'warn',
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: 'app',
      target: ['es2022', 'safari16.4', 'chrome111', 'firefox128'],
      // each file is requested by its own address: the policy of the page allows no `data:` scripts or fonts
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: { output: { codeSplitting: { groups: sharedFiles } } },
    },
  });
  await compressApp(folder);
}

// as a program: Vite sets NODE_ENV of its process, which must not reach what runs after the build
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWebApp(process.argv[2] ?? SERVED);
