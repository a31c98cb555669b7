import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type DeclaredFlag, flagDeclarations, isObject } from './declarations.js';

/** Which flags to declare, and where. */
export interface DeclarationOptions {
  /** Address of the service. */
  host: string | undefined;
  /** Personal API key with the scope `feature_flag:read`. */
  key: string | undefined;
  /** Number of the project, or `@current`. */
  project: string;
  /** File to write. */
  out: string;
  /** The module whose `FlagRegistry` is augmented. */
  module: string;
  /** Writes nothing, and fails if the file is not what it would be. */
  check: boolean;
}

/**
 * Writes the flags of a project as a TypeScript declaration file: what `tidemark flags:types` and `tidemark-flags-types` do.
 * @returns what was done, as a line
 * @throws Error in one sentence
 */
export async function writeDeclarations({ host, key, project, out, module, check }: DeclarationOptions): Promise<string> {
  if (!host) throw new Error('Say where the service is: --host https://… or TIDEMARK_HOST.');
  if (!key) throw new Error('A personal API key is needed: TIDEMARK_PERSONAL_API_KEY or --key.');
  const flags = await listFlags(host, key, project);
  const text = flagDeclarations(flags, module);
  const path = resolve(out);
  const count = `${flags.length} ${flags.length === 1 ? 'flag' : 'flags'}`;
  if (!check) {
    await writeFile(path, text);
    return `${out}: ${count}`;
  }
  const same = (await readFile(path, 'utf8').catch(() => '')) === text;
  if (!same) throw new Error(`${out} is not up to date: run the command without --check.`);
  return `${out} is up to date: ${count}`;
}

const PAGE = 500;

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
    const text = await response.text();
    if (!response.ok) throw new Error(`The service answers ${response.status}: ${detailOf(text)}`);
    const { count, results } = pageOf(text, host);
    flags.push(...results);
    if (!results.length || flags.length >= count) return flags;
  }
}

/** One page of the list. @throws Error in one sentence when something else than Tidemark answers */
function pageOf(text: string, host: string): { count: number; results: DeclaredFlag[] } {
  let page: unknown;
  try {
    page = JSON.parse(text);
  } catch {
    page = null;
  }
  if (isObject(page) && typeof page['count'] === 'number' && Array.isArray(page['results']) && page['results'].every(isFlag)) {
    return { count: page['count'], results: page['results'] };
  }
  throw new Error(`What answers at ${host} is no Tidemark: it does not list flags.`);
}

const isFlag = (value: unknown): value is DeclaredFlag => isObject(value) && typeof value['key'] === 'string';

const detailOf = (text: string): string => /"detail":"([^"]+)"/.exec(text)?.[1] ?? text.slice(0, 200);
