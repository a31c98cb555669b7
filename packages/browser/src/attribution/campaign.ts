import type { BrowserOptions } from '../options.js';
import { urlOf } from '../url-of.js';

/** Query parameters of a campaign. */
const CAMPAIGN = /^(utm_(source|medium|campaign|content|term|name)|gad_source|mc_cid)$/;
/** Query parameters with the id of a click. They identify a visitor, so they are masked as personal data. */
const CLICKS = /^((g|d|fb|tw|tt|ir|q)clid|gclsrc|[gw]braid|msclkid|li_fat_id|igshid|rdt_cid|_kx|epik|sccid)$/;

/** The campaign parameters of a URL. */
export function campaignOf(url: string, more: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  // most URLs have no query, and the parser takes longer than this check
  if (!url.includes('?')) return found;
  const query = new URLSearchParams(url.replace(/^[^?]*|#.*/g, ''));
  for (const name of query.keys()) {
    const value = query.get(name);
    if (value && (CAMPAIGN.test(name) || CLICKS.test(name) || more.includes(name))) found[name] = value;
  }
  return found;
}

/** A URL; with `mask_personal_data_properties`, the values of click ids and of custom parameters are masked. */
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

/** The URL, campaign and referrer at the start of a session or of the first visit, as properties named `<prefix>…`. */
export function entryProperties(
  prefix: string,
  urlName: string,
  { url = '', referrer }: Record<string, string>,
): Record<string, string> {
  // for the URL of this page, `location` has the parts already
  const { host, pathname } = (url !== document.URL && urlOf(url)) || location;
  const properties = { [urlName]: url, host, pathname, ...campaignOf(url) };
  const named = Object.entries(properties).map(([name, value]) => [prefix + name, value]);
  return { ...Object.fromEntries(named), ...referrerProperties(prefix, referrer) };
}
