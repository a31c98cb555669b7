import { type ImportedEvent, importedEvent } from '../events/event.js';
import { type EventFormat, member } from './format.js';

/** Page views of a page and day; more are an error of the file. */
const MOST = 1_000_000;

/**
 * Sums of Plausible's export (`imported_pages….csv`), as page views. A row has, for a day and a page, the visitors and the page views, so as
 * many `$pageview` events are made, of as many visitors. The visitors of a day are numbered from 1 on each page: page views and the visitors
 * of one page and day are right, a day has as many visitors as its largest page, and a longer range adds up its days, because Plausible
 * forgets visitors every day.
 */
export const plausibleFormat: EventFormat = {
  name: 'plausible',
  matches: (name) => /imported_pages/i.test(name),
  open: (file) => (record) => {
    const [date, page] = [String(member(record, 'date') ?? ''), String(member(record, 'page') ?? '')];
    const [visitors, views] = [countOf(member(record, 'visitors')), countOf(member(record, 'pageviews'))];
    if (!/^\d{4}-\d\d-\d\d$/.test(date) || page === '' || visitors === null || views === null) {
      return { problem: `the row has no date, page, visitors or pageviews: ${file} should be imported_pages….csv` };
    }
    const host = String(member(record, 'hostname') ?? '');
    const events: ImportedEvent[] = [];
    for (let view = 0; view < views; view++) {
      const event = importedEvent({
        event: '$pageview',
        distinctId: `plausible-${date}-${(view % Math.max(1, visitors)) + 1}`,
        // the time of the day is not in the file: views stand a second apart from noon on
        timestamp: new Date(Date.parse(`${date}T12:00:00Z`) + (view % 36_000) * 1_000),
        uuid: `${date} ${host}${page} ${view}`,
        properties: {
          $pathname: page,
          ...(host ? { $host: host, $current_url: `https://${host}${page}` } : {}),
          $process_person_profile: false,
          $import_source: 'plausible',
        },
      });
      if ('problem' in event) return event;
      events.push(event);
    }
    return events;
  },
};

function countOf(value: unknown): number | null {
  const count = Number(value);
  return value !== '' && Number.isInteger(count) && count >= 0 && count <= MOST ? count : null;
}
