import { useProject } from '../../app/project-context.js';
import type { Space } from '../../data/health.js';
import { Badge } from '../../ui/Badge.js';
import { Message } from '../../ui/states.js';
import { Time } from '../../ui/Time.js';
import { bytesText } from './health-texts.js';
import { Section } from './SettingsPage.js';
import { isFullSoon, kindName, outlookText, placeName } from './space-texts.js';
import { HEAD, ROW, TABLE } from './table.js';

/** What takes space on each disk, how fast it grows, and when the disk is full. */
export function SpaceSection({ space }: { space: Space | null }) {
  const { timezone } = useProject();
  if (!space) {
    return (
      <Section title="Space">
        <Message title="Not measured yet">What events, recordings and other data take is measured once an hour.</Message>
      </Section>
    );
  }
  const measured = (
    <>
      Measured <Time at={space.taken_at} zone={timezone} />. The growth is that of the last seven days.
    </>
  );
  return (
    <Section title="Space" lead={measured}>
      <div className="grid gap-6">
        {space.places.map((place) => (
          <PlaceTable key={place.place} place={place} kinds={space.kinds.filter((kind) => kind.place === place.place)} />
        ))}
      </div>
    </Section>
  );
}

function PlaceTable({ place, kinds }: { place: Space['places'][number]; kinds: Space['kinds'] }) {
  const most = Math.max(1, ...kinds.map(({ used_bytes }) => used_bytes));
  const name = placeName(place.place);
  return (
    <section aria-label={name}>
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 className="text-13 font-medium">{name}</h3>
        {isFullSoon(place) && <Badge kind="warn">Full soon</Badge>}
      </div>
      <p className="text-12 text-text-2">{outlookText(place)}</p>
      <table className={TABLE}>
        <thead>
          <tr className={HEAD}>
            <th className="pl-0!">Data</th>
            <th className="text-right">Takes</th>
            <th className="pr-0! text-right">Grows a day</th>
          </tr>
        </thead>
        <tbody>
          {kinds.map(({ kind, used_bytes, growth_bytes_per_day: growth }) => (
            <tr key={kind} className={ROW}>
              <th scope="row" className="pl-0!">
                {kindName(kind)}
                <span aria-hidden className="mt-1 block h-1 rounded-s bg-sunken">
                  <span className="block h-1 rounded-s bg-accent" style={{ width: `${(used_bytes / most) * 100}%` }} />
                </span>
              </th>
              <td className="tnum text-right whitespace-nowrap">{bytesText(used_bytes)}</td>
              <td className="tnum pr-0! text-right">
                {growth === null ? 'Known after a day' : growth > 0 ? bytesText(growth) : 'No growth'}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
