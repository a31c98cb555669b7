import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Badge } from '../ui/Badge.js';
import { Button } from '../ui/Button.js';
import { PageHead } from '../ui/PageHead.js';
import { Refused } from '../ui/Refused.js';
import { sentenceOf } from '../ui/sentence-of.js';
import { useCreationBarrier } from './creation-barrier.js';
import { useProjectId } from './project-context.js';

export interface NewObjectProps {
  /** The name of such an object, also in access rules, such as "survey", and of several. */
  one: string;
  many: string;
  /** The draft has changes; `discard` drops them. */
  isChanged: boolean;
  discard: () => void;
  /** The draft cannot be saved as it is. */
  isWrong: boolean;
  /** Creates the object and returns its id. It rejects with the reason. */
  create: () => Promise<number | string>;
  /** What stands beside the editor, its name and its width as a class. */
  aside: { label: string; width: string; content: ReactNode };
  /** The editor. */
  children: ReactNode;
}

/** The screen of an object that is not there yet: its editor, with one button that creates it. */
export function NewObject({ one, many, isChanged, discard, isWrong, create, aside, children }: NewObjectProps) {
  const project = useProjectId();
  const navigate = useNavigate();
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const list = `/p/${project}/${many}`;
  const head = {
    crumb: <Link to={list as string}>{`${many.charAt(0).toUpperCase()}${many.slice(1)}`}</Link>,
    title: `New ${one}`,
  };
  const barrier = useCreationBarrier(one, many, head);
  const save = async (): Promise<void> => {
    setSaving(true);
    setRefusal(null);
    try {
      const id = await create();
      discard();
      await navigate({ to: `${list}/${id}` as string, replace: true });
    } catch (error) {
      setRefusal(sentenceOf(error));
    } finally {
      setSaving(false);
    }
  };
  if (barrier) return barrier;
  return (
    <>
      <PageHead
        {...head}
        badges={isChanged && <Badge kind="warn">Not created yet</Badge>}
        actions={
          <>
            {isChanged && (
              <Button kind="quiet" onPress={discard}>
                Discard
              </Button>
            )}
            <Button kind="primary" isDisabled={isWrong} busyLabel={isSaving ? 'Creating…' : null} onPress={() => void save()}>
              {`Create ${one}`}
            </Button>
          </>
        }
      />
      <div className="relative flex min-h-0 flex-1 max-lg:block max-lg:overflow-y-auto">
        <div className="relative min-w-0 flex-1 overflow-y-auto p-6 max-lg:overflow-visible max-sm:p-4">
          {refusal && <Refused message={refusal} />}
          {children}
        </div>
        <aside
          aria-label={aside.label}
          className={`${aside.width} shrink-0 overflow-y-auto border-l border-border bg-surface p-4 max-lg:w-full max-lg:overflow-visible max-lg:border-t max-lg:border-l-0`}
        >
          {aside.content}
        </aside>
      </div>
    </>
  );
}
