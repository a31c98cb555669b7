const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for an element or a quoted attribute of XML and HTML. */
export const escapeXml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? '');

/** Text between tags of XML, without the characters that XML does not take, not even escaped; quotes stay. */
export const escapeXmlText = (text: string): string =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? '');

/** An instant (a date or epoch milliseconds) as people write it, with its time zone: `31 Dec 1969, 19:00 (America/New York)`. */
export const formatTime = (instant: Date | number, timeZone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(instant) +
  (timeZone === 'UTC' ? ' UTC' : ` (${timeZone.replaceAll('_', ' ')})`);
