// `node packages/web/build.mjs [FOLDER]`: builds the web app into the files of the service, or into another folder: hashed names, which
// browsers may cache for ever, and a Brotli form of each.
import { fileURLToPath } from 'node:url';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { compressApp, SERVED } from './compress.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));

/** @param {string} folder gets `index.html` and, below `app/`, what it loads */
async function buildWebApp(folder) {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), tailwind()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      assetsDir: 'app',
      target: ['es2022', 'safari16.4', 'chrome111', 'firefox128'],
      // each file is requested by its own address: the policy of the page allows no `data:` scripts or fonts
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  await compressApp(folder);
}

// as a program: Vite sets NODE_ENV of its process, which must not reach what runs after the build
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWebApp(process.argv[2] ?? SERVED);
