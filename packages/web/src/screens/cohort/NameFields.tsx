import { TextField } from '../../ui/TextField.js';
import type { CohortDraft } from './draft.js';

/** Name and description. */
export const NameFields = ({ draft, edit }: { draft: CohortDraft; edit: (change: Partial<CohortDraft>) => void }) => (
  <div className="grid grid-cols-2 gap-4 max-sm:grid-cols-1">
    <TextField label="Name" value={draft.name} onChange={(name) => edit({ name })} />
    <TextField label="Description, if you like" value={draft.description} onChange={(description) => edit({ description })} />
  </div>
);
