/**
 * Names of browsers, and their marks in the user agent as groups in the same order. A browser that also has the mark of another comes before that
 * one. It is one expression, since compiling an expression takes longer than running it.
 */
const BROWSER_NAMES =
  'Facebook Mobile,Instagram,Samsung Internet,Microsoft Edge,Opera,UC Browser,Chrome iOS,Firefox iOS,Firefox,Chrome,Mobile Safari,Safari';
const BROWSERS =
  /^(?:.*?(FBA[NV])|.*?(Instagram)|.*?(SamsungBrowser)|.*?(Edg(?:e|A|iOS)?)|.*?(OP(?:R|X|T|iOS))|.*?(UCBrowser)|.*?(CriOS)|.*?(FxiOS)|.*?(Firefox)|.*?(Chrom(?:e|ium))|.*?((?=.* Mobile.*Safari)Version)|.*?((?=.*Safari)Version))[/ ]?([\d._]+)?/;
const SYSTEM_NAMES = 'Windows,iOS,Android,Mac OS X,Chrome OS,Linux';
const SYSTEMS =
  /^(?:.*?(Windows(?: NT)?)|.*?((?:iPhone|iPad|iPod).*? OS)|.*?(Android)|.*?(Mac OS X)|.*?(CrOS \w+)|.*?(Linux))[/ ]?([\d._]+)?/;

/** Browser, system and device type of a user agent, as event properties; unknown ones are undefined. */
export function describeUserAgent(userAgent: string, touchPoints = 0): Record<string, unknown> {
  const [browser, version] = find(BROWSER_NAMES, BROWSERS.exec(userAgent));
  const [system, systemVersion] = find(SYSTEM_NAMES, SYSTEMS.exec(userAgent));
  // the user agent of an iPad says Mac by default
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

function find(names: string, match: RegExpExecArray | null): [name?: string | undefined, version?: string | undefined] {
  return [names.split(',').find((_, at) => match?.[at + 1]), match?.at(-1)];
}
