import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import type { CommandResult } from './command-result.js';
import { type DeclaredFlag, flagDeclarations } from './flag-declarations.js';

export const FLAGS_TYPES_USAGE = `tidemark flags:types: writes the feature flags of a project as types, so that the compiler knows keys, variants and payloads

  --host URL        where the service is         (or TIDEMARK_HOST)
  --key KEY         a personal API key with the scope feature_flag:read   (or TIDEMARK_PERSONAL_API_KEY: safer, since it is a secret)
  --project NUMBER  the project's number         (or TIDEMARK_PROJECT; default: the present project of the key's owner)
  --out FILE        what to write                (default: tidemark-flags.d.ts)
  --module NAME     whose FlagRegistry to fill   (default: @tidemark/client)
  --check           write nothing; fail when the file is not what it would be
`;

/** Runs the command `flags:types`. Never throws: an error becomes the text of the result, one sentence, with exit code 1. */
export async function flagsTypes(args: readonly string[], env: Record<string, string | undefined>): Promise<CommandResult> {
  try {
    return await run(args, env);
  } catch (error) {
    return { text: error instanceof Error ? error.message : String(error), code: 1 };
  }
}

async function run(args: readonly string[], env: Record<string, string | undefined>): Promise<CommandResult> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.help) return { text: FLAGS_TYPES_USAGE, code: 0 };
  const host = values.host ?? env['TIDEMARK_HOST'];
  const key = values.key ?? env['TIDEMARK_PERSONAL_API_KEY'];
  if (!host) throw new Error('Say where the service is: --host https://… or TIDEMARK_HOST.');
  if (!key) throw new Error('A personal API key is needed: TIDEMARK_PERSONAL_API_KEY or --key.');
  const flags = await listFlags(host, key, values.project ?? env['TIDEMARK_PROJECT'] ?? '@current');
  const text = flagDeclarations(flags, values.module ?? '@tidemark/client');
  const file = values.out ?? 'tidemark-flags.d.ts';
  const path = resolve(file);
  const count = `${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}`;
  if (values.check) {
    const same = (await readFile(path, 'utf8').catch(() => '')) === text;
    return same
      ? { text: `${file} is up to date: ${count}`, code: 0 }
      : { text: `${file} is not up to date: run tidemark flags:types`, code: 1 };
  }
  await writeFile(path, text);
  return { text: `${file}: ${count}`, code: 0 };
}

const OPTIONS = {
  host: { type: 'string' },
  key: { type: 'string' },
  project: { type: 'string' },
  out: { type: 'string' },
  module: { type: 'string' },
  check: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

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
