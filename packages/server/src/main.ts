#!/usr/bin/env -S node --max-semi-space-size=64 --no-allocation-site-pretenuring
import { constants, setPriority } from 'node:os';
import { runProgram } from './commands/program.js';

const { env, stdin, stdout, stderr } = process;
// a reader that has enough, such as `head`, is no fault: the command ends in order
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
const lowerPriority = () => setPriority(constants.priority.PRIORITY_LOW);
process.exitCode = await runProgram(process.argv.slice(2), { env, input: stdin, output: stdout, errors: stderr, lowerPriority });
