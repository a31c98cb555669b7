const VERSION = '[/ ]?([\\d._]+)';

/** Names of browsers and what only they say; those that also say the name of another stand before it. */
const BROWSERS =
  'Facebook Mobile=FBA[NV],Instagram=Instagram,Samsung Internet=SamsungBrowser,Microsoft Edge=Edg(?:e|A|iOS)?,Opera=OP(?:R|X|T|iOS),UC Browser=UCBrowser,Chrome iOS=CriOS,Firefox iOS=FxiOS,Firefox=Firefox,Chrome=Chrom(?:e|ium),Mobile Safari=(?=.* Mobile.*Safari)Version,Safari=(?=.*Safari)Version';
const SYSTEMS =
  'Windows=Windows(?: NT)?,iOS=(?:iPhone|iPad|iPod).*? OS,Android=Android,Mac OS X=Mac OS X,Chrome OS=CrOS \\w+,Linux=Linux';

/** What a user agent's text tells, under the names of event properties; what it does not tell is left out. */
export function describeUserAgent(userAgent: string, touchPoints = 0): Record<string, unknown> {
  const [browser, version] = find(BROWSERS, userAgent);
  const [system, systemVersion] = find(SYSTEMS, userAgent);
  // an iPad asks for desktop pages by calling itself a Mac
  const tablet = /iPad|Tablet|Android(?!.*Mobile)/.test(userAgent) || (system === 'Mac OS X' && touchPoints > 1);
  return {
    $browser: browser,
    $browser_version: version ? Number.parseFloat(version) : undefined,
    $os: system,
    $os_version: systemVersion?.replace(/_/g, '.'),
    $device_type: tablet ? 'Tablet' : /Mobi|iP[ho]/.test(userAgent) ? 'Mobile' : 'Desktop',
    $raw_user_agent: userAgent.slice(0, 1_000),
  };
}

function find(names: string, text: string): [name?: string | undefined, version?: string | undefined] {
  for (const entry of names.split(',')) {
    const [name, token] = entry.split(/=(?!\.)/);
    const match = new RegExp(`${token}(?:${VERSION})?`).exec(text);
    if (match) return [name, match[1]];
  }
  return [];
}
