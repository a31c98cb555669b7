import type { Stage } from './draft.js';

/** Puts the sender's address on the event, unless the project keeps none or the event says its own. */
export const putIp: Stage = {
  name: 'put-ip',
  run: (draft) => {
    const { properties, project } = draft;
    // events that the product sends about itself would otherwise all come from one place
    if (properties.capture_internal !== undefined) draft.ip = '127.0.0.1';
    const sent = properties.$ip;
    if (typeof sent === 'string' && sent !== '') draft.ip = sent;
    if (project.anonymizeIps) {
      if (sent !== undefined) delete properties.$ip;
    } else if (sent === undefined && draft.ip !== '') {
      properties.$ip = draft.ip;
    }
    return undefined;
  },
};
