import { type Feature, type Properties, textsOf } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { campaignOf, entryProperties, maskUrl, referrerProperties } from './campaign.js';

type Texts = Record<string, string>;

/** Adds referrer, campaign and entry page of the session to events, and those of the first visit (`$initial_…`) to persons. */
export function attribution(options: BrowserOptions): Feature {
  return {
    name: 'attribution',
    setup(client, { slot, enrich, extend, isIdentified }) {
      // entry of the first visit and of this session: `url` and `referrer`, and the `id` of the session
      const first = slot('first', textsOf);
      const visit = slot('visit', textsOf);
      const campaign = slot('campaign', textsOf);
      const entry = (id: string): Texts => ({
        id,
        url: maskUrl(location.href, options),
        referrer: maskUrl(document.referrer, options),
      });
      const begin = (now: Texts): Texts => {
        const start = first.get() ?? now;
        if (start === now) first.set(now);
        return start;
      };

      // cached until the session or the URL changes, since they are on every event
      let cachedFor: unknown;
      let properties: Properties = {};
      const propertiesFor = (id: string, href: string): Properties => {
        let now = visit.get();
        if (now?.['id'] !== id) {
          now = entry(id);
          visit.set(now);
        }
        begin(now);
        const found = options.save_campaign_params === false ? {} : campaignOf(href, options.custom_campaign_params);
        if (Object.keys(found).length) campaign.set(found);
        return {
          ...entryProperties('$session_entry_', 'url', now),
          ...(options.save_referrer === false ? {} : referrerProperties('$', now['referrer'])),
          ...campaign.get(),
        };
      };
      enrich((id, context) => {
        if (cachedFor !== context || visit.get()?.['id'] !== id) {
          cachedFor = context;
          properties = propertiesFor(id, String(context?.['$current_url']));
        }
        return properties;
      });

      /** `given` and the properties of the first visit. They are always the same, so that equal calls are recognized as equal. */
      const initial = (set?: Properties, given?: Properties, always?: boolean): Properties | undefined =>
        // the properties of the first visit alone cause no event
        always || Object.keys({ ...set, ...given }).length
          ? { ...entryProperties('$initial_', 'current_url', begin(entry(''))), ...given }
          : given;
      const { identify, setPersonProperties } = client;
      extend({
        identify: (id, set, once) => identify(id, set, initial(set, once, !isIdentified())),
        setPersonProperties: (set, once) => setPersonProperties(set, initial(set, once)),
      });
      return client.on('identity', ({ reason, adopted }) => {
        if (reason !== 'reset') return;
        cachedFor = undefined;
        if (adopted) return;
        first.set(undefined);
        campaign.set(undefined);
      });
    },
  };
}
