import type { SuperPropertyMethods } from './client.js';
import { copied } from './copied.js';
import type { Properties } from './event.js';
import { isRecord } from './is-record.js';
import type { Slots } from './slots.js';

export interface SuperProperties {
  methods: SuperPropertyMethods;
  /** The stored ones, and those of `registerForSession`, which win. */
  now(): [Properties | undefined, Properties];
  /** @param adopted another page has cleared the stored ones already */
  clear(adopted?: boolean): void;
}

export function createSuperProperties(slots: Slots): SuperProperties {
  const slot = slots.slot('props', (stored) => (isRecord(stored) ? stored : undefined));
  let passing: Properties = {};
  /** Reads the stored ones first, since another page may have changed them. */
  const change = (next: (stored: Properties) => Properties) => {
    slot.refresh();
    slot.set(next({ ...slot.get() }), true);
  };
  return {
    methods: {
      register: (properties) => change((stored) => ({ ...stored, ...copied(properties) })),
      registerOnce: (properties) => change((stored) => ({ ...copied(properties), ...stored })),
      registerForSession(properties) {
        passing = { ...passing, ...copied(properties) };
      },
      unregister: (name) => change(({ [name]: _, ...others }) => others),
    },
    now: () => [slot.get(), passing],
    clear(adopted) {
      if (!adopted) slot.set(undefined, true);
      passing = {};
    },
  };
}
