#!/usr/bin/env -S node --max-semi-space-size=64 --no-allocation-site-pretenuring
import { runProgram } from './commands/program.js';

const { env, stdin, stdout, stderr } = process;
process.exitCode = await runProgram(process.argv.slice(2), { env, input: stdin, output: stdout, errors: stderr });
