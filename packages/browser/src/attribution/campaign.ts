import type { BrowserOptions } from '../options.js';
import { urlOf } from '../url-of.js';

/** Query parameters that say which campaign brought a visitor. */
const CAMPAIGN = /^(utm_(source|medium|campaign|content|term|name)|gad_source|mc_cid)$/;
/** The same for a single click; they tell one visitor from others, so they are hidden when personal data is masked. */
const CLICKS = /^((g|d|fb|tw|tt|ir|q)clid|gclsrc|[gw]braid|msclkid|li_fat_id|igshid|rdt_cid|_kx|epik|sccid)$/;

/** The campaign parameters that an address has. */
export function campaignOf(url: string, more: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  // a parser takes longer to make than most addresses, which have no query, to read
  if (!url.includes('?')) return found;
  const query = new URLSearchParams(url.replace(/^[^?]*|#.*/g, ''));
  for (const name of query.keys()) {
    const value = query.get(name);
    if (value && (CAMPAIGN.test(name) || CLICKS.test(name) || more.includes(name))) found[name] = value;
  }
  return found;
}

/** An address with the values of click ids, and of the parameters named, replaced if the options ask for it. */
export function maskUrl(url: string, options: BrowserOptions): string {
  if (!options.mask_personal_data_properties) return url;
  const more = options.custom_personal_data_properties ?? [];
  return url.replace(/([?&#])([^=&#]+)=[^&#]*/g, (whole, before: string, name: string) =>
    CLICKS.test(name) || more.includes(name) ? `${before}${name}=<masked>` : whole,
  );
}

/** Referrer and its domain as event properties named `<prefix>referrer…`. */
export function referrerProperties(prefix: string, referrer = ''): Record<string, string> {
  const direct = '$direct';
  return { [`${prefix}referrer`]: referrer || direct, [`${prefix}referring_domain`]: urlOf(referrer)?.host || direct };
}

/** Where a visit, or a visitor's first one, started, as properties named `<prefix>…`. */
export function entryProperties(
  prefix: string,
  urlName: string,
  { url = '', referrer }: Record<string, string>,
): Record<string, string> {
  // mostly the page is the first one, whose address the browser has parsed
  const { host, pathname } = (url !== document.URL && urlOf(url)) || location;
  const properties = { [urlName]: url, host, pathname, ...campaignOf(url) };
  const named = Object.entries(properties).map(([name, value]) => [prefix + name, value]);
  return { ...Object.fromEntries(named), ...referrerProperties(prefix, referrer) };
}
