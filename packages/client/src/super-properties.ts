import type { SuperPropertyMethods } from './client.js';
import type { Properties } from './event.js';
import { isRecord } from './is-record.js';
import type { Slots } from './slots.js';

export interface SuperProperties {
  methods: SuperPropertyMethods;
  /** Those kept over restarts, and those of this run, which win. */
  now(): [Properties | undefined, Properties];
  /** @param adopted another page has cleared what is stored */
  clear(adopted?: boolean): void;
}

export function createSuperProperties(slots: Slots): SuperProperties {
  const slot = slots.slot('props', (stored) => (isRecord(stored) ? stored : undefined));
  let passing: Properties = {};
  /** Changes what is stored now, which another page may have written a moment ago. */
  const change = (next: (stored: Properties) => Properties) => {
    slot.refresh();
    slot.set(next({ ...slot.get() }), true);
  };
  return {
    methods: {
      register: (properties) => change((stored) => ({ ...stored, ...properties })),
      registerOnce: (properties) => change((stored) => ({ ...properties, ...stored })),
      registerForSession(properties) {
        passing = { ...passing, ...properties };
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
