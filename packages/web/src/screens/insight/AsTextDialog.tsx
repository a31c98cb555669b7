import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { answerQuery } from '../../data/answer.js';
import { missingPart } from '../../insight/missing-part.js';
import { asCurl, asJson } from '../../query/as-text.js';
import type { Question } from '../../query/question.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { Dialog } from '../../ui/Dialog.js';
import { Fault, Message, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/Tabs.js';

/** The question for programs: curl and JSON; and the SQL that answers it. */
export function AsTextDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const project = useProjectId();
  const [selected, setSelected] = useState<'curl' | 'json' | 'sql'>('curl');
  return (
    <Dialog title="As API call" isOpen onClose={onClose} isWide>
      <Tabs
        label="Form"
        selected={selected}
        onSelect={setSelected}
        tabs={[
          {
            id: 'curl',
            label: 'curl',
            content: () => <CodeBlock what="the curl command" code={asCurl(question, location.origin, project)} />,
          },
          { id: 'json', label: 'JSON', content: () => <CodeBlock what="the question" code={asJson(question)} /> },
          { id: 'sql', label: 'SQL', content: () => <Statements question={question} /> },
        ]}
      />
    </Dialog>
  );
}

/** The statements that computed the answer. */
function Statements({ question }: { question: Question }) {
  const missing = missingPart(question);
  const answer = useQuery(answerQuery(useProjectId(), missing === null ? question : null));
  if (missing !== null) return <Message title="Not a whole question yet">{missing}</Message>;
  if (answer.error)
    return <Fault title="This question has no answer" detail={answer.error.message} onRetry={() => void answer.refetch()} />;
  if (!answer.data) return <Skeleton rows={6} />;
  return (
    <>
      <p className="mb-2 text-12 text-text-2">
        What ClickHouse computed, with the values in their places. The tables are those of the store; questions of kind SQL have
        tables of their own.
      </p>
      <CodeBlock what="the SQL" code={answer.data.clickhouse ?? ''} />
    </>
  );
}
