import { queryOptions } from '@tanstack/react-query';
import type { Question } from '../query/question.js';
import { ask } from './answer.js';

/** A person behind a number. */
export interface Actor {
  id: string;
  /** E-mail or name of the person, or the id by which they were captured. */
  label: string;
  properties: Record<string, unknown>;
}

/** A point of a chart over time. */
export interface Point {
  /** Index of the series in the answer. */
  series: number;
  /** Day of the bucket, as the answer has it. */
  day: string;
  breakdown?: string | number | (string | number)[] | null;
}

export const ACTORS_PAGE = 100;

/** The people behind a point. @param search part of their name, e-mail or id */
export const actorsQuery = (project: string, question: Question, point: Point, search: string) =>
  queryOptions({
    queryKey: ['project', project, 'actors', question, point, search],
    queryFn: async ({ signal }) => {
      const { series, day, breakdown } = point;
      const source = { kind: 'InsightActorsQuery', source: question, series, day, ...(breakdown != null && { breakdown }) };
      const answer = await ask(
        project,
        { kind: 'ActorsQuery', source, select: ['actor'], limit: ACTORS_PAGE, ...(search && { search }) },
        'blocking',
        signal,
      );
      const rows = (answer.results ?? []) as { id: string; distinct_ids?: string[]; properties?: Record<string, unknown> }[][];
      return { people: rows.flatMap(([actor]) => (actor ? [toActor(actor)] : [])), hasMore: answer.hasMore ?? false };
    },
  });

function toActor({
  id,
  distinct_ids = [],
  properties = {},
}: {
  id: string;
  distinct_ids?: string[];
  properties?: Record<string, unknown>;
}): Actor {
  const named = [properties['email'], properties['name'], properties['username']].find(
    (one) => typeof one === 'string' && one !== '',
  );
  return { id, label: typeof named === 'string' ? named : (distinct_ids[0] ?? id), properties };
}
