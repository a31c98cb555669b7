import { type Stage, warn } from './event-context.js';

/** A warning of the SDK goes to the list of ingestion warnings, not to the events. */
export const dropClientWarning: Stage = {
  name: 'drop-client-warning',
  run: (context) => {
    if (context.event !== '$$client_ingestion_warning') return undefined;
    const message = context.properties.$$client_ingestion_warning_message;
    warn(context, 'client_ingestion_warning', { message: typeof message === 'string' ? message.slice(0, 2000) : null });
    return { reason: 'client_ingestion_warning', details: 'client_ingestion_warning', result: 'warning' };
  },
};
