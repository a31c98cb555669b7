import { type Insight, letterOf } from '@tidemark/charts';

/** What the letters above a chart mean, in full. Nothing without annotations. */
export function AnnotationList({ insight }: { insight: Insight }) {
  if (insight.kind !== 'series' || !insight.annotations) return null;
  const { annotations, labels } = insight;
  return (
    <ol aria-label="Annotations" className="grid gap-1 pt-2 text-12">
      {annotations.map(({ place, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the letter is the place in the list
        <li key={index} className="flex gap-2">
          <span className="grid size-[18px] shrink-0 place-items-center rounded-full border border-border text-11 text-text-2">
            {index < 26 ? letterOf(index) : '·'}
          </span>
          <span className="shrink-0 text-text-3">{labels[place]}</span>
          <span className="min-w-0 wrap-anywhere">{text}</span>
        </li>
      ))}
    </ol>
  );
}
