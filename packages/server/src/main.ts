#!/usr/bin/env -S node --max-semi-space-size=64 --no-allocation-site-pretenuring
import { VERSION } from './version.js';

const USAGE = `Tidemark ${VERSION}: self-hosted product analytics

  tidemark serve                 start the service (settings come from the environment; see docs/guide/run.md)
  tidemark flags:types           write the feature flags of a project as TypeScript types (--help tells its options)
  tidemark users:password EMAIL  give an account a new password (--help tells how)
  tidemark sample PROJECT        load sample data into a project, or remove it (--help tells how)
  tidemark --version             print the version
`;

const [command = 'serve', ...args] = process.argv.slice(2);
// each command loads what it needs alone: the service is much to load
if (command === 'serve') {
  const { serve } = await import('./serve.js');
  await serve(process.env);
} else if (command === 'flags:types') {
  const { flagsTypes } = await import('./commands/flags-types.js');
  const { text, code } = await flagsTypes(args, process.env);
  console[code === 0 ? 'log' : 'error'](text);
  process.exitCode = code;
} else if (command === 'users:password') {
  const [{ usersPassword }, { openMetadata }] = await Promise.all([
    import('./commands/users-password.js'),
    import('./open-metadata.js'),
  ]);
  const { text, code } = await usersPassword(args, process.env, { input: process.stdin, output: process.stderr }, openMetadata);
  console[code === 0 ? 'log' : 'error'](text);
  process.exitCode = code;
} else if (command === 'sample') {
  const [{ sample }, { openMetadata }, { systemClock }] = await Promise.all([
    import('./commands/sample.js'),
    import('./open-metadata.js'),
    import('./adapters/system/index.js'),
  ]);
  const { text, code } = await sample(args, process.env, systemClock, openMetadata);
  console[code === 0 ? 'log' : 'error'](text);
  process.exitCode = code;
} else if (command === '--version') console.log(VERSION);
else {
  console.log(USAGE);
  process.exitCode = command === '--help' || command === 'help' ? 0 : 1;
}
