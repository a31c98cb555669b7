import type { Json } from '../../kernel/json.js';

/** A step as it is stored: every field, null where the step does not say it. */
export type ActionStep = Record<
  'event' | 'selector' | 'tag_name' | 'text' | 'text_matching' | 'href' | 'href_matching' | 'url' | 'url_matching',
  string | null
> & { properties: Json };

/** What can change of an action. */
export interface ActionState {
  name: string | null;
  description: string;
  tags: string[];
  steps: ActionStep[];
  pinned_at: Date | null;
  deleted: boolean;
}

/** An action as it is stored. */
export interface ActionRow extends ActionState {
  id: number;
  created_by: number | null;
  created_at: Date;
  updated_at: Date;
}
