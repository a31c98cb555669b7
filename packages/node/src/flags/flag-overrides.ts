import type { FlagValue, Properties } from '@tidemark/client';
import { flagsFromValues } from '@tidemark/client';
import type { FlagMap } from './evaluated-flag.js';

/** What an application sets for all evaluations of a client. */
export interface FlagOverrides {
  personProperties: Properties;
  groupProperties: Record<string, Properties>;
  /** Values that win over all others. */
  flags: FlagMap;
}

export const noOverrides = (): FlagOverrides => ({ personProperties: {}, groupProperties: {}, flags: new Map() });

/** Flags as tests and demos want them. */
export function flagsOf(
  flags: Readonly<Record<string, FlagValue>> | readonly string[] | false,
  payloads?: Record<string, unknown>,
): FlagMap {
  const values: Record<string, FlagValue> = {};
  if (isList(flags)) for (const key of flags) values[key] = true;
  else Object.assign(values, flags);
  return new Map(Object.entries(flagsFromValues(values, payloads)).map(([key, known]) => [key, { ...known, local: true }]));
}

const isList = (flags: unknown): flags is readonly string[] => Array.isArray(flags);
