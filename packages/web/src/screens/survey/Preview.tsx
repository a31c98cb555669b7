import { RotateCcw } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/Button.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { Fault } from '../../ui/states.js';
import { fieldsOf, type SurveyDraft } from './draft.js';

/** What the service's script of previews exports. */
interface PreviewScript {
  previewSurvey(survey: unknown, into: HTMLElement, onClosed: () => void): () => void;
}

/** The script is the widget of pages itself, as the service serves it. */
const SCRIPT = '/static/survey-preview.js';
let script: Promise<PreviewScript> | undefined;
const loadScript = (): Promise<PreviewScript> => {
  script ??= import(/* @vite-ignore */ SCRIPT);
  // a failure is not kept: the next attempt loads it again
  script.catch(() => {
    script = undefined;
  });
  return script;
};

/** A change of the draft is shown after this time without another, in milliseconds. */
const SETTLED_MS = 250;

/** The survey in the widget of pages, as visitors will see it. It can be answered, and nothing is captured. */
export function Preview({ draft }: { draft: SurveyDraft }) {
  const box = useRef<HTMLDivElement>(null);
  const [round, setRound] = useState(0);
  const [isClosed, setClosed] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const survey = JSON.stringify(shownSurvey(draft));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` shows it again
  useEffect(() => {
    let remove: (() => void) | undefined;
    let isOver = false;
    const timer = setTimeout(async () => {
      try {
        const { previewSurvey } = await loadScript();
        if (isOver || !box.current) return;
        setFault(null);
        setClosed(false);
        remove = previewSurvey(JSON.parse(survey), box.current, () => isOver || setClosed(true));
      } catch (error) {
        if (!isOver) setFault(sentenceOf(error));
      }
    }, SETTLED_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
      remove?.();
    };
  }, [survey, round]);
  return (
    <section aria-labelledby="preview" className="grid gap-2">
      <div className="flex items-center gap-2">
        <h2 id="preview" className="flex-1 text-13 font-strong">
          Preview
        </h2>
        <Button isSmall icon={<RotateCcw size={14} aria-hidden />} onPress={() => setRound(round + 1)}>
          From the start
        </Button>
      </div>
      {fault ? (
        <Fault title="The preview could not be loaded" detail={fault} onRetry={() => setRound(round + 1)} />
      ) : (
        <div className="relative h-[440px] overflow-hidden rounded-l border border-border bg-sunken">
          {isClosed && <p className="p-4 text-13 text-text-2">The survey is over, and the page goes on.</p>}
          <div ref={box} data-preview className="absolute inset-0 [contain:layout_paint]" />
        </div>
      )}
      <p className="text-12 text-text-3">
        {draft.type === 'popover'
          ? 'The widget of pages itself. Answer it: nothing is captured.'
          : 'As the widget would show it. Your own interface shows this survey.'}
      </p>
    </section>
  );
}

/** A survey as pages receive it. */
function shownSurvey(draft: SurveyDraft) {
  const { questions = [], ...fields } = fieldsOf(draft);
  return {
    id: 'preview',
    ...fields,
    questions: questions.map((question, index) => ({ ...question, id: question['id'] ?? `new-${index}` })),
    start_date: null,
    end_date: null,
    linked_flag_key: null,
    targeting_flag_key: null,
    internal_targeting_flag_key: null,
    feature_flag_keys: null,
    current_iteration: null,
    current_iteration_start_date: null,
  };
}
