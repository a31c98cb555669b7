import { type Stage, warn } from './draft.js';

/** A complaint of the SDK is for the project's people, not for its statistics. */
export const dropClientWarning: Stage = {
  name: 'drop-client-warning',
  run: (draft) => {
    if (draft.event !== '$$client_ingestion_warning') return undefined;
    const message = draft.properties.$$client_ingestion_warning_message;
    warn(draft, 'client_ingestion_warning', { message: typeof message === 'string' ? message.slice(0, 2000) : null });
    return { reason: 'client_ingestion_warning', details: 'client_ingestion_warning', result: 'warning' };
  },
};
