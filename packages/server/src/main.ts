#!/usr/bin/env -S node --max-semi-space-size=64
import { serve } from './serve.js';
import { VERSION } from './version.js';

const USAGE = `Tidemark ${VERSION}: self-hosted product analytics

  tidemark serve      start the service (settings come from the environment; see docs/guide/run.md)
  tidemark --version  print the version
`;

const [command = 'serve'] = process.argv.slice(2);
if (command === 'serve') await serve(process.env);
else if (command === '--version') console.log(VERSION);
else {
  console.log(USAGE);
  process.exitCode = command === '--help' || command === 'help' ? 0 : 1;
}
