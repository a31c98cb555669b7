import { type Stage, warn } from './draft.js';

const NEEDS_PERSON = new Set(['$identify', '$create_alias', '$merge_dangerously', '$groupidentify']);

/** With `$process_person_profile: false` an event changes no person: what would is refused or taken out. */
export const checkPersonProcessing: Stage = {
  name: 'check-person-processing',
  run: (draft) => {
    const { properties } = draft;
    if (properties.$process_person_profile !== false) return undefined;
    if (NEEDS_PERSON.has(draft.event)) {
      warn(draft, 'invalid_event_when_process_person_profile_is_false');
      return { reason: 'person_processing_required', details: 'person_processing_required', result: 'drop' };
    }
    draft.processProfile = false;
    if (properties.$set !== undefined) delete properties.$set;
    if (properties.$set_once !== undefined) delete properties.$set_once;
    if (properties.$unset !== undefined) delete properties.$unset;
    return undefined;
  },
};
