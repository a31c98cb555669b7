import { type Feature, type Properties, textsOf } from '@tidemark/client';
import type { BrowserOptions } from '../options.js';
import { campaignOf, entryProperties, maskUrl, referrerProperties } from './campaign.js';

type Texts = Record<string, string>;

/** Puts on events where this visit came from, and on persons, once they are known, where they came from first. */
export function attribution(options: BrowserOptions): Feature {
  return {
    name: 'attribution',
    setup(client, { slot, enrich, extend, isIdentified }) {
      // where the visitor, and this visit, came from: `url` and `referrer`, and the session's `id`
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

      // made anew only when session or address change: they go onto every event
      let known: unknown;
      let properties: Properties = {};
      const look = (id: string, href: string): Properties => {
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
        if (known !== context || visit.get()?.['id'] !== id) {
          known = context;
          properties = look(id, String(context?.['$current_url']));
        }
        return properties;
      });

      /** `given`, and the visitor's beginning: the same each time, also before the first event, so that equal calls stay equal. */
      const initial = (set?: Properties, given?: Properties, always?: boolean): Properties | undefined =>
        // alone it is not worth an event
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
        known = undefined;
        if (adopted) return;
        first.set(undefined);
        campaign.set(undefined);
      });
    },
  };
}
