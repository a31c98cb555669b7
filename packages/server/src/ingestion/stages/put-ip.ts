import type { Stage } from './event-context.js';

/** Sets `$ip` to the sender's address, unless the project anonymizes addresses or the event has its own `$ip`. */
export const putIp: Stage = {
  name: 'put-ip',
  run: (context) => {
    const { properties, project } = context;
    // events of the product about itself must not carry the address of the server
    if (properties.capture_internal !== undefined) context.ip = '127.0.0.1';
    const sent = properties.$ip;
    if (typeof sent === 'string' && sent !== '') context.ip = sent;
    if (project.anonymizeIps) {
      if (sent !== undefined) delete properties.$ip;
    } else if (sent === undefined && context.ip !== '') {
      properties.$ip = context.ip;
    }
    return undefined;
  },
};
