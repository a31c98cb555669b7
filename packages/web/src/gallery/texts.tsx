import { CircleAlert, CircleCheck, Globe, Lock, TriangleAlert } from 'lucide-react';
import { Badge } from '../ui/Badge.js';
import { CodeBlock, CopyButton } from '../ui/CodeBlock.js';
import { DifferenceTable } from '../ui/DifferenceTable.js';
import { Markdown } from '../ui/Markdown.js';
import { Time } from '../ui/Time.js';
import { LONG, State, UNBROKEN } from './State.js';

const NOW = Date.UTC(2026, 10, 23, 16, 31);
const AGES = { seconds: 8, minutes: 240, hours: 7_500, days: 200_000, years: 40_000_000 };

const MARKDOWN = `# What this board is for
## Growth
### Of paying customers
Numbers **of the week**, *not yet* final, computed by \`count()\`. [How](https://example.com), and <b>no HTML</b>.

- one
- two
  1. first
  2. second

> A quote of the team.

\`\`\`
select count() from events where ${UNBROKEN} = 1
\`\`\`
---
${UNBROKEN}`;

export const texts = {
  Badge: () => (
    <State is="kinds, each with an icon">
      <div className="row">
        <Badge icon={<Lock size={12} aria-hidden />}>Restricted</Badge>
        <Badge kind="accent" icon={<Globe size={12} aria-hidden />}>
          Public
        </Badge>
        <Badge kind="good" icon={<CircleCheck size={12} aria-hidden />}>
          Running
        </Badge>
        <Badge kind="warn" icon={<TriangleAlert size={12} aria-hidden />}>
          Stale
        </Badge>
        <Badge kind="bad" icon={<CircleAlert size={12} aria-hidden />}>
          Failed
        </Badge>
      </div>
    </State>
  ),
  CodeBlock: () => (
    <>
      <State is="code of one line">
        <CodeBlock code="npm install @tidemark/browser" what="the command" />
      </State>
      <State is="code of several lines, one of them long">
        <CodeBlock code={`init({\n  key: '${UNBROKEN}${UNBROKEN}',\n});`} what="the snippet" />
      </State>
      <State is="CopyButton">
        <CopyButton text="tmk_1" what="the key" isSmall={false} />
      </State>
    </>
  ),
  DifferenceTable: () => (
    <>
      <State is="differences">
        <DifferenceTable
          differences={[
            { what: 'Rollout', before: '10%', after: '25%' },
            { what: 'Description', before: '', after: LONG },
            { what: UNBROKEN, before: UNBROKEN, after: '' },
          ]}
          none="Nothing changed."
        />
      </State>
      <State is="none">
        <DifferenceTable differences={[]} none="Nothing changed." />
      </State>
    </>
  ),
  Markdown: () => (
    <State is="text">
      <Markdown text={MARKDOWN} />
    </State>
  ),
  Time: () => (
    <>
      {Object.entries(AGES).map(([name, seconds]) => (
        <State key={name} is={`at: some ${name} ago`}>
          <Time at={new Date(NOW - seconds * 1_000).toISOString()} now={NOW} zone="Europe/Copenhagen" />
        </State>
      ))}
    </>
  ),
};
