import type { Environment, Subject } from '@tidemark/flags';
import { propertiesNeeded } from '@tidemark/flags/needs';
import type { Deps } from '../deps.js';
import type { Definitions } from './make-definitions.js';
import { matchesRegex } from './regexes.js';
import { createStoredSubjects } from './stored-subjects.js';
import { findSubject } from './subject.js';

/** Whom somebody asks about who wants to know why a flag is on or off. */
export interface TestedSubject {
  distinctId: string;
  /** Group keys by the name of their type. */
  groups?: ReadonlyMap<string, string>;
}

/** For whom flags are evaluated, as stored at this moment. */
export async function subjectOf(deps: Deps, definitions: Definitions, tested: TestedSubject): Promise<Subject> {
  const { distinctId, groups = new Map() } = tested;
  const told = {
    distinctId,
    groups,
    anonDistinctId: null,
    deviceId: null,
    personProperties: {},
    groupProperties: new Map(),
    place: null,
  };
  const uses = propertiesNeeded(definitions.prepared);
  const { subject } = await findSubject(createStoredSubjects(deps), definitions, { uses }, told, undefined);
  return subject;
}

/** What else evaluation depends on. */
export const environmentOf = ({ clock }: Pick<Deps, 'clock'>, { timezone }: Definitions): Environment => ({
  now: clock.now(),
  timeZone: timezone,
  matchesRegex,
});
