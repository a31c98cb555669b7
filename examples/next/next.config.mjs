import { fileURLToPath } from 'node:url';

export default {
  // packages of this repository are links into it
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
};
