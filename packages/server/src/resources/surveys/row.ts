import type { Survey, SurveyConditions, SurveyQuestion } from '@tidemark/wire';
import type { JsonObject } from '../../kernel/json.js';

/** A flag of a survey, as the survey shows it. */
export interface FlagOfSurvey {
  id: number;
  key: string;
  name: string;
  filters: JsonObject;
  active: boolean;
  deleted: boolean;
  created_by: number | null;
}

/** A survey as it is stored. */
export interface SurveyRow {
  /** What access rules know it by. */
  id: number;
  uuid: string;
  name: string;
  description: string;
  type: Survey['type'];
  questions: SurveyQuestion[];
  conditions: SurveyConditions | null;
  appearance: JsonObject | null;
  linked_flag_id: number | null;
  targeting_flag_id: number | null;
  linked_flag: FlagOfSurvey | null;
  targeting_flag: FlagOfSurvey | null;
  /** Whether the targeting flag was made of the survey's own targeting filters. */
  owns_targeting_flag: boolean;
  schedule: Survey['schedule'];
  /** Of a recurring survey: how many iterations there are, and days from one start to the next. */
  iteration_count: number | null;
  iteration_frequency_days: number | null;
  /** The survey ends once so many answers are stored. */
  responses_limit: number | null;
  enable_partial_responses: boolean;
  start_date: Date | null;
  end_date: Date | null;
  archived: boolean;
  created_by: number | null;
  created_at: Date;
}

/** What is stored of a survey itself and can change. */
export type SurveyState = Omit<SurveyRow, 'id' | 'uuid' | 'linked_flag' | 'targeting_flag' | 'created_by' | 'created_at'>;
