import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import type { Schemas } from '../../data/api.js';
import { propertyName } from '../../query/property-name.js';
import { Button } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CopyButton } from '../../ui/CodeBlock.js';
import { Time } from '../../ui/Time.js';

const FIRST_IDS = 10;

/** What is known of a person, and the ids that were merged into them. */
export function PersonFacts({ person }: { person: Schemas['Person'] }) {
  const project = useProjectId();
  const { timezone } = useProject();
  const [showsAll, setShowsAll] = useState(false);
  const { uuid, properties, distinct_ids: ids, created_at: created } = person;
  return (
    <div className="grid min-w-0 gap-3">
      <Card className="p-4">
        <h2 className="mb-2 text-13 font-strong">What is known</h2>
        <dl className="grid text-12">
          <Fact name="First seen" value={<Time at={created} zone={timezone} />} />
          {Object.entries(properties).map(([key, value]) => (
            <Fact key={key} name={propertyName(key)} value={typeof value === 'string' ? value : JSON.stringify(value)} />
          ))}
        </dl>
      </Card>
      <Card className="p-4">
        <h2 className="mb-1 text-13 font-strong">
          {ids.length === 1 ? 'The id of this person' : `${ids.length} ids are this person`}
        </h2>
        {ids.length > 1 && (
          <p className="mb-2 text-12 text-text-2">
            Events with any of them are theirs.{' '}
            <Link to={`/p/${project}/persons/${uuid}` as string} search={{ event: '$identify' } as never}>
              See when they were merged
            </Link>
          </p>
        )}
        <ul className="grid gap-1">
          {ids.slice(0, showsAll ? ids.length : FIRST_IDS).map((one) => (
            <li key={one} className="flex items-center gap-2">
              <code className="min-w-0 flex-1 truncate font-mono text-12" title={one}>
                {one}
              </code>
              <CopyButton text={one} what={`the id ${one}`} />
            </li>
          ))}
        </ul>
        {ids.length > FIRST_IDS && !showsAll && (
          <div className="mt-2">
            <Button isSmall onPress={() => setShowsAll(true)}>{`Show all ${ids.length}`}</Button>
          </div>
        )}
      </Card>
    </div>
  );
}

const Fact = ({ name, value }: { name: string; value: ReactNode }) => (
  <div className="grid grid-cols-[minmax(90px,2fr)_3fr] gap-2 border-b border-border py-1 last:border-0">
    <dt className="text-text-2 wrap-anywhere">{name}</dt>
    <dd className="wrap-anywhere">{value}</dd>
  </div>
);
