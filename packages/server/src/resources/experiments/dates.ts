import { ApiError } from '../../kernel/errors.js';

/** Whether an experiment may have these dates. @throws ApiError invalid_input */
export function requireOrder(start: Date | null, end: Date | null): void {
  if (!end) return;
  if (!start) throw new ApiError('invalid_input', 'An experiment that has not started cannot have an end.', 'end_date');
  if (end <= start) throw new ApiError('invalid_input', 'The end must be after the start.', 'end_date');
}
