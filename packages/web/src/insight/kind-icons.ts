import { ChartColumn, ChartLine, Funnel, Grid3X3, type LucideIcon, Repeat, Route, SquareTerminal } from 'lucide-react';
import type { QuestionKind } from '../query/question.js';

/** The icon of each kind of question, in the builder and in lists. */
export const KIND_ICONS: Record<QuestionKind, LucideIcon> = {
  TrendsQuery: ChartLine,
  FunnelsQuery: Funnel,
  RetentionQuery: Grid3X3,
  PathsQuery: Route,
  LifecycleQuery: Repeat,
  StickinessQuery: ChartColumn,
  HogQLQuery: SquareTerminal,
};
