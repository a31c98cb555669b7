import { importAccessRules, importShares } from './access-rules.js';
import { CREATED_KINDS } from './bodies.js';
import { createObjects, type ObjectImport } from './create-objects.js';
import { importFlagHistory } from './flag-history.js';
import { isUnavailable, OBJECT_KINDS, type ObjectKind } from './object-source.js';
import {
  importDefinitions,
  importGroups,
  importGroupTypes,
  importMembers,
  importPersons,
  importSettings,
} from './plain-objects.js';
import { importRecordings } from './recordings.js';

/** Kinds that need the events in the target, and recordings, which take as long. */
const AFTER_EVENTS: readonly ObjectKind[] = ['event_definitions', 'property_definitions', 'recordings'];

const PLAIN: Partial<Record<ObjectKind, (importing: ObjectImport) => Promise<void>>> = {
  settings: importSettings,
  members: importMembers,
  persons: importPersons,
  group_types: importGroupTypes,
  groups: importGroups,
  shares: importShares,
  access_rules: importAccessRules,
  flag_history: importFlagHistory,
  recordings: importRecordings,
  event_definitions: (importing) => importDefinitions('event_definitions', importing),
  property_definitions: (importing) => importDefinitions('property_definitions', importing),
};

/**
 * Imports objects, kind by kind, in the order of {@link OBJECT_KINDS}. A kind that the source does not give is reported.
 * @param phase `before`: everything that needs no events; `after`: what needs them
 */
export async function importObjects(
  kinds: readonly ObjectKind[],
  phase: 'before' | 'after',
  importing: ObjectImport,
  onKind: (kind: ObjectKind) => void,
): Promise<void> {
  // filters of settings refer to cohorts
  const ordered = [...OBJECT_KINDS.filter((kind) => kind !== 'settings'), 'settings' as const];
  for (const kind of ordered) {
    if (!kinds.includes(kind) || AFTER_EVENTS.includes(kind) !== (phase === 'after')) continue;
    onKind(kind);
    const created = CREATED_KINDS.find((one) => one.kind === kind);
    try {
      await (created ? createObjects(created, importing) : PLAIN[kind]?.(importing));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      importing.report.explain(kind, `the source or the target does not give access: ${error.message}`);
    }
  }
}
