import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { z } from 'zod';
import { type CommandIo, print } from './command-io.js';
import { type DeclaredFlag, flagDeclarations } from './flag-declarations.js';

interface Options {
  host?: string;
  key?: string;
  project: string;
  out: string;
  module: string;
  check: boolean;
}

/** `tidemark flags:types`: writes the feature flags of a project as types, so that the compiler knows keys, variants and payloads. */
export const flagsTypesCommand = (io: CommandIo): Command =>
  new Command('flags:types')
    .description(
      'write the feature flags of a project as TypeScript types, so that the compiler knows keys, variants and payloads',
    )
    .option('--host <url>', 'address of the service (or TIDEMARK_HOST)', io.env['TIDEMARK_HOST'])
    .option(
      '--key <key>',
      'personal API key with the scope feature_flag:read (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)',
    )
    .option(
      '--project <number>',
      "number of the project, or the present one of the key's owner (or TIDEMARK_PROJECT)",
      io.env['TIDEMARK_PROJECT'] ?? '@current',
    )
    .option('--out <file>', 'file to write', 'tidemark-flags.d.ts')
    .option('--module <name>', 'module whose FlagRegistry is filled', '@tidemark/client')
    .option('--check', 'write nothing; fail when the file is not what it would be', false)
    .action(async ({ host, key = io.env['TIDEMARK_PERSONAL_API_KEY'], project, out, module, check }: Options) => {
      if (!host) throw new Error('Say where the service is: --host https://… or TIDEMARK_HOST.');
      if (!key) throw new Error('A personal API key is needed: TIDEMARK_PERSONAL_API_KEY or --key.');
      const flags = await listFlags(host, key, project);
      const text = flagDeclarations(flags, module);
      const path = resolve(out);
      const count = `${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}`;
      if (!check) {
        await writeFile(path, text);
        return print(io, `${out}: ${count}`);
      }
      const same = (await readFile(path, 'utf8').catch(() => '')) === text;
      if (!same) throw new Error(`${out} is not up to date: run tidemark flags:types`);
      print(io, `${out} is up to date: ${count}`);
    });

const PAGE = 500;

const page = z.object({
  count: z.number(),
  results: z.array(
    z.object({ key: z.string(), name: z.string(), filters: z.unknown(), has_encrypted_payloads: z.boolean().nullable() }),
  ),
});

/** @throws Error in one sentence */
async function listFlags(host: string, key: string, project: string): Promise<DeclaredFlag[]> {
  const base = `${host.replace(/\/+$/, '')}/api/projects/${encodeURIComponent(project)}/feature_flags/`;
  const flags: DeclaredFlag[] = [];
  // page by page here instead of by the links in answers, which name the service as it sees itself
  for (;;) {
    const url = `${base}?limit=${PAGE}&offset=${flags.length}&order=id`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } }).catch((error: Error) => {
      throw new Error(`No answer from ${host}: ${error.cause instanceof Error ? error.cause.message : error.message}`);
    });
    if (!response.ok) throw new Error(`The service answers ${response.status}: ${await detailOf(response)}`);
    const { count, results } = page.parse(await response.json());
    flags.push(...results);
    if (!results.length || flags.length >= count) return flags;
  }
}

async function detailOf(response: Response): Promise<string> {
  const text = await response.text();
  return /"detail":"([^"]+)"/.exec(text)?.[1] ?? text.slice(0, 200);
}
