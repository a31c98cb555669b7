import { type Stage, warn } from './event-context.js';

const NEEDS_PERSON = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify']);

/** With `$process_person_profile: false` an event changes no person: events for that purpose are rejected, `$set` and the like are removed. */
export const checkPersonProcessing: Stage = {
  name: 'check-person-processing',
  run: (context) => {
    const { properties } = context;
    if (properties.$process_person_profile !== false) return undefined;
    if (NEEDS_PERSON.has(context.event)) {
      warn(context, 'invalid_event_when_process_person_profile_is_false');
      return { reason: 'person_processing_required', details: 'person_processing_required', result: 'drop' };
    }
    context.processProfile = false;
    if (properties.$set !== undefined) delete properties.$set;
    if (properties.$set_once !== undefined) delete properties.$set_once;
    if (properties.$unset !== undefined) delete properties.$unset;
    return undefined;
  },
};
