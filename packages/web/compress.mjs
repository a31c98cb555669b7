// What follows each build of the web app, and needs none of the packages that build it.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

/** The folder from which the service serves the app. */
export const SERVED = fileURLToPath(new URL('../server/dist/app', import.meta.url));

/** Writes a Brotli form beside each text below `app/`. @param {string} folder of a built app */
export async function compressApp(folder) {
  const names = (await readdir(join(folder, 'app'))).filter((name) => /\.(js|css|svg)$/.test(name));
  await Promise.all(
    names.map(async (name) => {
      const path = join(folder, 'app', name);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path), { params }));
    }),
  );
}
