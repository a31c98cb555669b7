import { useState } from 'react';
import { useProjectId } from '../../app/project-context.js';
import { asCurl, asJson } from '../../query/as-text.js';
import type { Question } from '../../query/question.js';
import { CodeBlock } from '../../ui/CodeBlock.js';
import { Dialog } from '../../ui/Dialog.js';
import { Tabs } from '../../ui/Tabs.js';

/** The question for programs: curl and JSON. */
export function AsTextDialog({ question, onClose }: { question: Question; onClose: () => void }) {
  const project = useProjectId();
  const [selected, setSelected] = useState<'curl' | 'json'>('curl');
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
        ]}
      />
    </Dialog>
  );
}
