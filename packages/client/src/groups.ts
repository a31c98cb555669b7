import type { IdentityChange, IdentityMethods } from './client.js';
import type { CaptureOptions, Properties } from './event.js';
import type { Identity } from './identity.js';
import { textsOf } from './is-record.js';
import type { Log } from './platform.js';
import type { Slots } from './slots.js';

/** What the methods for persons and groups need of the client. */
export interface IdentityContext {
  identity: Identity;
  log: Log;
  /** Whether a method about the person may run: not opted out, and not `person_profiles: 'never'`, which is logged. */
  allowed(method: string): boolean;
  capture(event: string, properties?: Properties, options?: CaptureOptions): void;
  changed(change: Omit<IdentityChange, 'distinctId'>): void;
  /** A new anonymous person. */
  reset(): void;
}

export interface Groups {
  methods: Pick<IdentityMethods, 'group' | 'groupIdentify' | 'resetGroups' | 'getGroups'>;
  now(): Record<string, string> | undefined;
  clear(): void;
}

export function createGroups(slots: Slots, context: IdentityContext): Groups {
  const slot = slots.slot('groups', textsOf);
  const valid = (method: string, type: string, key: string) => {
    if (type && String(key ?? '').trim()) return context.allowed(method);
    context.log.warn(`group:${method}`);
    return false;
  };
  const captureGroup = (type: string, key: string, properties: Properties | undefined) => {
    context.identity.giveProfile();
    context.capture('$groupidentify', {
      $group_type: type,
      $group_key: String(key),
      $group_set: properties,
    });
  };
  const methods: Groups['methods'] = {
    group(type, key, properties) {
      if (!valid('group', type, key)) return;
      slot.refresh();
      const groups = slot.get() ?? {};
      const isNew = groups[type] !== String(key);
      if (isNew) slot.set({ ...groups, [type]: String(key) }, true);
      if (!isNew && !properties) return;
      captureGroup(type, key, properties);
      context.changed({ reason: 'group', reload: true, group: type, properties });
    },
    groupIdentify(type, key, properties) {
      if (valid('groupIdentify', type, key)) captureGroup(type, key, properties);
    },
    resetGroups() {
      slot.set(undefined, true);
      context.changed({ reason: 'group', reload: true });
    },
    getGroups: () => slot.get() ?? {},
  };
  return {
    methods,
    now: () => slot.get(),
    clear: () => slot.set(undefined, true),
  };
}
