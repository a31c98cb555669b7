import type { SuperPropertyMethods } from './client.js';
import type { Properties } from './event.js';
import { isRecord } from './is-record.js';
import type { Slots } from './slots.js';

export interface SuperProperties {
  methods: SuperPropertyMethods;
  /** Those kept over restarts, and those of this run, which win. */
  now(): [Properties | undefined, Properties];
  clear(): void;
}

export function createSuperProperties(slots: Slots): SuperProperties {
  const slot = slots.slot('props', (stored) => (isRecord(stored) ? stored : undefined));
  let passing: Properties = {};
  return {
    methods: {
      register: (properties) => slot.set({ ...slot.get(), ...properties }),
      registerOnce: (properties) => slot.set({ ...properties, ...slot.get() }),
      registerForSession(properties) {
        passing = { ...passing, ...properties };
      },
      unregister(name) {
        const { [name]: removed, ...rest } = slot.get() ?? {};
        if (removed !== undefined) slot.set(rest);
      },
    },
    now: () => [slot.get(), passing],
    clear() {
      slot.set(undefined);
      passing = {};
    },
  };
}
