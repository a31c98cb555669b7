import { Command } from 'commander';
import type { CommandIo } from './command-io.js';

export const serveCommand = ({ env, output }: CommandIo): Command =>
  new Command('serve')
    .description('start the service; its settings come from the environment (docs/guide/run.md)')
    .action(async () => {
      const { serve } = await import('../serve.js');
      await serve(env, output);
    });
