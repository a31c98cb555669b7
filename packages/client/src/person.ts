import type { IdentityMethods } from './client.js';
import type { Properties } from './event.js';
import { eventJson } from './event-json.js';
import type { IdentityContext } from './groups.js';
import type { Bootstrap, ClientOptions } from './options.js';
import type { Slots } from './slots.js';

export interface Person {
  methods: Pick<IdentityMethods, 'identify' | 'alias' | 'setPersonProperties' | 'unsetPersonProperties' | 'createPersonProfile'>;
  /** Takes the identity of `bootstrap`. Returns a function that sends `$identify`, where the server must merge an anonymous person. */
  bootstrap(bootstrap: Bootstrap | undefined, isNew: boolean): (() => void) | undefined;
  clear(): void;
}

/** Values that code passes by mistake when it has no id; the server never merges persons under them. */
const PLACEHOLDER =
  /^["']?(anonymous|guest|distinct_?id|id|not_authenticated|email|undefined|true|false|null|nan|none|0|\[object object\])["']?$/i;

export function createPerson(slots: Slots, options: ClientOptions, context: IdentityContext): Person {
  const { identity, log, capture } = context;
  /** Fingerprint of the properties that were sent last: equal ones are not sent again. */
  const sent = slots.slot('sent', (stored) => (typeof stored === 'string' ? stored : undefined));

  const fingerprint = (id: string, ...properties: (Properties | undefined)[]) =>
    eventJson({ id, properties: properties.map((some) => Object.entries({ ...some }).sort()) });
  const hasAny = (set?: Properties, setOnce?: Properties) => Object.keys({ ...set, ...setOnce }).length > 0;
  const sendSet = (set: Properties | undefined, setOnce: Properties | undefined, reload: boolean) => {
    const print = fingerprint(identity.distinctId(), set, setOnce);
    if (print === sent.get()) return;
    sent.set(print);
    identity.giveProfile();
    capture('$set', {}, { $set: set ?? {}, $set_once: setOnce ?? {} });
    context.changed({ reason: 'person', reload, properties: { ...setOnce, ...set } });
  };
  const sendIdentify = (before: string, set?: Properties, setOnce?: Properties) =>
    capture('$identify', options.reuseAnonymousId ? {} : { $anon_distinct_id: before }, { $set: set, $set_once: setOnce });
  const validId = (method: string, id: unknown): string | undefined => {
    const isNumber = typeof id === 'number';
    const text = isNumber ? String(id) : id;
    const fits = typeof text === 'string' && text.trim() && !PLACEHOLDER.test(text.trim());
    if (isNumber || !fits) log.warn(`id:${method}`, JSON.stringify(id));
    return fits ? text : undefined;
  };
  const isAnother = (method: string, id: string) => {
    const another = id !== identity.distinctId();
    if (another) log.warn(`person:${method}`);
    return another;
  };

  const methods: Person['methods'] = {
    identify(distinctId, set, setOnce) {
      const id = validId('identify', distinctId);
      if (!id || !context.allowed('identify')) return;
      const some = hasAny(set, setOnce);
      if (options.reset_on_identify && identity.isIdentified() && id !== identity.distinctId()) context.reset();
      if (identity.isIdentified()) {
        if (isAnother('identify', id)) return;
        if (some) sendSet(set, setOnce, false);
        return;
      }
      const before = identity.anonymousId();
      identity.becomeIdentified(id);
      sent.set(undefined);
      if (id === before) {
        sendSet(set, setOnce, some);
        return;
      }
      sent.set(fingerprint(id, set, setOnce));
      sendIdentify(before, set, setOnce);
      context.changed({ reason: 'identify', reload: true, properties: { ...setOnce, ...set } });
    },
    alias(alias, distinctId = identity.distinctId()) {
      if (!alias || !distinctId || alias === distinctId) return log.warn('alias');
      if (!context.allowed('alias')) return;
      identity.giveProfile();
      capture('$create_alias', { alias, distinct_id: distinctId });
    },
    setPersonProperties(set, setOnce) {
      if (hasAny(set, setOnce) && context.allowed('setPersonProperties')) sendSet(set, setOnce, true);
    },
    unsetPersonProperties(names) {
      if (!names?.length || !context.allowed('unsetPersonProperties')) return;
      identity.giveProfile();
      sent.set(undefined);
      capture('$set', {}, { $unset: names });
      context.changed({
        reason: 'person',
        reload: true,
        properties: Object.fromEntries(names.map((name) => [name, undefined])),
      });
    },
    createPersonProfile() {
      if (identity.hasProfile() || !context.allowed('createPersonProfile')) return;
      identity.giveProfile();
      capture('$set', {}, { $set: {}, $set_once: {} });
    },
  };
  return {
    methods,
    clear: () => sent.set(undefined),
    bootstrap(bootstrap, isNew) {
      const id = bootstrap?.distinctId ?? bootstrap?.distinctID;
      if (!id) return undefined;
      if (!(bootstrap?.isIdentifiedId ?? bootstrap?.isIdentifiedID)) {
        if (isNew) identity.reset(false, id);
        return undefined;
      }
      if (identity.isIdentified()) {
        isAnother('bootstrap', id);
        return undefined;
      }
      const before = identity.anonymousId();
      identity.becomeIdentified(id);
      return isNew || id === before ? undefined : () => sendIdentify(before);
    },
  };
}
