import type { Environment, Subject } from '@tidemark/flags';
import { propertiesNeeded } from '@tidemark/flags/needs';
import { createCaches } from '../caches/index.js';
import type { Deps } from '../deps.js';
import type { Definitions } from './make-definitions.js';
import { createRegexSearch } from './regexes.js';
import { createStoredSubjects } from './stored-subjects.js';
import { findSubject, type SubjectOverrides } from './subject.js';

/** The subject of a test evaluation, which explains why a flag is on or off; groups and their properties by type name. */
export type TestedSubject = Pick<SubjectOverrides, 'distinctId'> &
  Partial<Pick<SubjectOverrides, 'deviceId' | 'groups' | 'personProperties' | 'groupProperties'>>;

/** The subject of an evaluation, read without cache; overrides win over stored properties. */
export async function subjectOf(deps: Deps, definitions: Definitions, tested: TestedSubject): Promise<Subject> {
  const overrides: SubjectOverrides = {
    groups: new Map(),
    anonDistinctId: null,
    deviceId: null,
    personProperties: {},
    groupProperties: new Map(),
    geoip: null,
    ...tested,
  };
  const uses = propertiesNeeded(definitions.prepared);
  const { subject } = await findSubject(
    createStoredSubjects(deps, createCaches(deps.clock)),
    definitions,
    { uses },
    overrides,
    undefined,
  );
  return subject;
}

/** The other inputs of one evaluation. */
export const environmentOf = ({ clock, services }: Pick<Deps, 'clock' | 'services'>, { timezone }: Definitions): Environment => ({
  now: clock.now(),
  timeZone: timezone,
  matchesRegex: createRegexSearch(services.compiledRegexes),
});
