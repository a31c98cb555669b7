/**
 * The origin that a person means: "shop.example.com/cart" is `https://shop.example.com`, `https://*.example.com` stands for every name
 * below it. `error`: what is wrong, with a proposal.
 */
export function checkAddress(text: string, listed: readonly string[]): { address: string | null; error: string | null } {
  const typed = text.trim();
  if (typed === '') return refused('Type the address of a site, such as https://shop.example.com');
  const withScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!/^https?:\/\//i.test(withScheme)) return refused('An address of a site starts with https:// or http://');
  // a star is no host name: the parser gets a letter in its place
  const isWild = /^https?:\/\/\*\./i.test(withScheme);
  const url = URL.parse(isWild ? withScheme.replace('*.', 'x.') : withScheme);
  if (!url || url.hostname === '') return refused('This is no address of a site. An example: https://shop.example.com');
  const address = isWild ? url.origin.replace('://x.', '://*.') : url.origin;
  if (listed.includes(address)) return refused(`${address} is in the list already.`);
  return { address, error: null };
}

const refused = (error: string) => ({ address: null, error });
