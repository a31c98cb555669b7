import type { InsightRow } from '../tiles/index.js';
import type { InsightFields } from './schema.js';

const MAX_NAME = 400;
const SUFFIX = ' (Copy)';

/** What a copy of an insight is made with: what it asks and is called, not where it is shown or who likes it. */
export const copyOf = ({ name, derived_name, query, filters, description, tags }: InsightRow): InsightFields => ({
  name: name && name.slice(0, MAX_NAME - SUFFIX.length) + SUFFIX,
  derived_name,
  query,
  filters,
  description,
  tags,
  saved: true,
});
