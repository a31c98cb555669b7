import type { Environment, Subject } from '@tidemark/flags';
import { propertiesNeeded } from '@tidemark/flags/needs';
import { createCaches } from '../caches/index.js';
import type { Deps } from '../deps.js';
import type { Definitions } from './make-definitions.js';
import { createRegexSearch } from './regexes.js';
import { createStoredSubjects } from './stored-subjects.js';
import { findSubject, type Told } from './subject.js';

/** Whom somebody asks about who wants to know why a flag is on or off; groups and what they have by the name of their type. */
export type TestedSubject = Pick<Told, 'distinctId'> &
  Partial<Pick<Told, 'deviceId' | 'groups' | 'personProperties' | 'groupProperties'>>;

/** For whom flags are evaluated, as stored at this moment; what is told counts before that. */
export async function subjectOf(deps: Deps, definitions: Definitions, tested: TestedSubject): Promise<Subject> {
  const told: Told = {
    groups: new Map(),
    anonDistinctId: null,
    deviceId: null,
    personProperties: {},
    groupProperties: new Map(),
    place: null,
    ...tested,
  };
  const uses = propertiesNeeded(definitions.prepared);
  const { subject } = await findSubject(
    createStoredSubjects(deps, createCaches(deps.clock)),
    definitions,
    { uses },
    told,
    undefined,
  );
  return subject;
}

/** What else one evaluation depends on. */
export const environmentOf = ({ clock, services }: Pick<Deps, 'clock' | 'services'>, { timezone }: Definitions): Environment => ({
  now: clock.now(),
  timeZone: timezone,
  matchesRegex: createRegexSearch(services.compiledRegexes),
});
