// Builds the web app into the files of the service: hashed names, which browsers may cache for ever, and a Brotli form of each.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const OUT = fileURLToPath(new URL('../server/dist/app', import.meta.url));

/** Writes `packages/server/dist/app`: `index.html` and, below `app/`, what it loads. */
async function buildWebApp() {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), tailwind()],
    build: {
      outDir: OUT,
      emptyOutDir: true,
      assetsDir: 'app',
      target: ['es2022', 'safari16.4', 'chrome111', 'firefox128'],
      // each file is requested by its own address: the policy of the page allows no `data:` scripts or fonts
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  });
  await compress(join(OUT, 'app'));
}

/** @param {string} folder */
async function compress(folder) {
  const names = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path), { params }));
    }),
  );
}

// as a program: Vite sets NODE_ENV of its process, which must not reach what runs after the build
if (process.argv[1] === fileURLToPath(import.meta.url)) await buildWebApp();
