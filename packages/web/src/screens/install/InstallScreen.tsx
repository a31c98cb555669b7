import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { readableName } from '@tidemark/charts';
import { CircleCheck } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useProject, useProjectId } from '../../app/project-context.js';
import { isSample, type ListedEvent, listenToEvents, ownEventQuery } from '../../data/events.js';
import { Button, buttonClass } from '../../ui/Button.js';
import { Card } from '../../ui/Card.js';
import { CodeBlock, CopyButton } from '../../ui/CodeBlock.js';
import { PageBody, PageHead } from '../../ui/PageHead.js';
import { Tabs } from '../../ui/Tabs.js';
import { PLATFORMS, type Platform } from './platforms.js';
import { SampleData } from './SampleData.js';
import { stepsOf } from './snippets.js';

const route = getRouteApi('/p/$project/install');

/** How to send events from each platform, and the wait for the first one. */
export function InstallScreen() {
  const project = useProject();
  const search = route.useSearch();
  const navigate = useNavigate();
  const platform = search.for ?? 'html';
  return (
    <>
      <PageHead title="Install Tidemark" />
      <PageBody>
        <div className="grid grid-cols-[minmax(0,3fr)_minmax(280px,2fr)] items-start gap-6 max-lg:grid-cols-[minmax(0,1fr)]">
          <Tabs<Platform>
            label="Platform"
            selected={platform}
            onSelect={(id) => void navigate({ to: '.', search: { for: id } as never, replace: true })}
            tabs={PLATFORMS.map(({ id, label }) => ({
              id,
              label,
              content: () => <Steps platform={id} apiKey={project.api_token} />,
            }))}
          />
          <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
            <Waiting />
            <Card className="p-4">
              <h2 className="text-13 font-strong">Project key</h2>
              <p className="mt-1 text-12 text-text-2">
                It is public: pages and apps contain it. It can send events, and read nothing.
              </p>
              <p className="mt-2 flex items-center gap-2">
                <code className="min-w-0 flex-1 truncate rounded-m bg-sunken px-2 py-1.5 font-mono text-12">
                  {project.api_token}
                </code>
                <CopyButton text={project.api_token} what="the project key" />
              </p>
            </Card>
            <SampleData />
          </div>
        </div>
      </PageBody>
    </>
  );
}

const Steps = ({ platform, apiKey }: { platform: Platform; apiKey: string }) => (
  <ol className="grid gap-5">
    {stepsOf(platform, location.origin, apiKey).map(({ title, what, code, help }) => (
      <li key={title} className="min-w-0">
        <h2 className="mb-1.5 text-13 font-strong">{title}</h2>
        <CodeBlock code={code} what={what} />
        {help && <p className="mt-1.5 text-12 text-text-2">{help}</p>}
      </li>
    ))}
  </ol>
);

/** After this long without an event, what may be wrong is listed; milliseconds. */
const TROUBLE_MS = 30_000;

/** Waits for an event, and shows the first that arrives while the page is open. */
function Waiting() {
  const id = useProjectId();
  const project = useProject();
  const queries = useQueryClient();
  const hasOwnEvent = useQuery(ownEventQuery(id)).data;
  const [arrived, setArrived] = useState<ListedEvent | null>(null);
  const [isLate, setLate] = useState(false);
  const [testing, setTesting] = useState<string | null>(null);
  useEffect(
    () =>
      listenToEvents(
        id,
        { event: null, properties: [] },
        {
          onEvent: (event) => {
            if (isSample(event)) return;
            setArrived((first) => first ?? event);
            void queries.invalidateQueries({ queryKey: ['project', id], exact: true });
          },
        },
      ),
    [id, queries],
  );
  useEffect(() => {
    if (arrived) return;
    const timer = setTimeout(() => setLate(true), TROUBLE_MS);
    return () => clearTimeout(timer);
  }, [arrived]);

  async function sendTest(): Promise<void> {
    setTesting('Sending…');
    try {
      const body = JSON.stringify({
        api_key: project.api_token,
        event: 'test event',
        distinct_id: 'test-person',
        properties: { sent_by: 'install page' },
      });
      const { ok, status } = await fetch('/capture/', { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      setTesting(ok ? 'Accepted. It appears here within a second or two.' : `Refused with the status ${status}.`);
    } catch {
      setTesting('The service does not respond.');
    }
  }

  const path = arrived?.properties['$pathname'];
  return (
    <Card className="p-4">
      <div role="status" className="flex gap-3">
        {arrived ? (
          <CircleCheck size={20} aria-hidden className="shrink-0 text-live" />
        ) : (
          <span
            aria-hidden
            className="mt-1 ml-1 size-3 shrink-0 animate-[pulse_1.6s_infinite] rounded-full bg-live motion-reduce:animate-none"
          />
        )}
        <div className="min-w-0">
          <h2 className="text-14 font-strong">
            {arrived ? 'An event arrived' : hasOwnEvent ? 'Waiting for the next event' : 'Waiting for the first event'}
          </h2>
          <p className="mt-0.5 text-13 text-text-2 wrap-anywhere">
            {arrived
              ? `${readableName(arrived.event)}${typeof path === 'string' ? ` on ${path}` : ''}, by ${arrived.distinctId}`
              : 'It appears here by itself. Nothing to reload.'}
          </p>
        </div>
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        {arrived ? (
          <>
            <Link to={`/p/${id}/insights/new` as string} className={buttonClass('primary')}>
              See it on a chart
            </Link>
            <Link to={`/p/${id}/events` as string} className={buttonClass()}>
              Open events
            </Link>
          </>
        ) : (
          <Button onPress={() => void sendTest()}>Send a test event</Button>
        )}
      </div>
      {testing && !arrived && <p className="mt-2 text-12 text-text-2">{testing}</p>}
      {isLate && !arrived && (
        <div className="mt-4 border-t border-border pt-3">
          <h3 className="text-13 font-strong">Nothing yet? Look at these</h3>
          <ul className="mt-1 list-disc pl-5 text-12 text-text-2">
            <li>The page that you opened has the snippet: its source contains {location.host}.</li>
            <li>An ad blocker may refuse the request: the network tab of the browser shows it. Try a private window.</li>
            <li>The key in the snippet is the one of this project: {project.api_token.slice(0, 12)}…</li>
            <li>The address can be reached from the page: a page on https needs this service on https, too.</li>
            <li>The test event above shows whether the service itself takes events.</li>
          </ul>
        </div>
      )}
    </Card>
  );
}
