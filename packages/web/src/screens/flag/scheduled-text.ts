import type { ScheduledChange } from '../../data/flags-history.js';
import { conditionText } from './differences.js';
import { draftOf } from './draft.js';

/** What a scheduled change does, in words. */
export function scheduledText({ operation, value }: ScheduledChange['payload']): string {
  if (operation === 'update_status') return value === true ? 'Switch on' : 'Switch off';
  const content = typeof value === 'object' && value !== null ? value : {};
  if (operation === 'add_release_condition') {
    const { conditions } = draftOf({ key: '', name: '', filters: { ...content } });
    return `Add ${conditions.length === 1 ? 'a condition' : 'conditions'}: ${conditions.map(conditionText).join('; ')}`;
  }
  if (operation === 'update_variants') {
    const { variants } = draftOf({ key: '', name: '', filters: { multivariate: content } });
    return `Change the split: ${variants.map(({ key, percentage }) => `${key} ${percentage}%`).join(', ')}`;
  }
  return String(operation);
}
