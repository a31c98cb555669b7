import { ApiError } from '../kernel/errors.js';
import { type EventsStore, QueryFailed } from '../ports/events.js';
import type { Execute } from './kinds/kind.js';
import { type Fragment, render } from './sql/fragment.js';

const MAX_SECONDS = 60;

/** What the engine says about a statement that asks for too much, by ClickHouse's error numbers. */
const TOO_MUCH: Record<number, string> = {
  159: `The query took longer than ${MAX_SECONDS} seconds. Ask for a shorter period or fewer events.`,
  160: 'The query would take too long. Ask for a shorter period or fewer events.',
  241: 'The query needs more memory than it may use. Ask for a shorter period or fewer events.',
  396: 'The result is too large. Ask for fewer rows or columns.',
};

/** Runs statements; what the asker can mend becomes a refusal, and an asker who is gone stops the engine. */
export const executor =
  (events: EventsStore, signal?: AbortSignal): Execute =>
  async <Row>(statement: Fragment) => {
    try {
      const { rows } = await events.query<Row>({
        ...withSettings(statement),
        maxSeconds: MAX_SECONDS,
        ...(signal ? { signal } : {}),
      });
      return rows;
    } catch (error) {
      // nobody reads this answer: it only keeps the asker's leaving out of the list of our own faults
      if (signal?.aborted) throw new ApiError('unavailable', 'The client closed the connection.');
      const detail = error instanceof QueryFailed ? TOO_MUCH[error.code] : undefined;
      if (detail) throw new ApiError('invalid_input', detail, 'query');
      throw error;
    }
  };

/** JSON made in a statement writes `/` as it is, so that texts in lists are found by what they hold. */
function withSettings(statement: Fragment): { sql: string; params: Record<string, unknown> } {
  const { sql, params } = render(statement);
  return { sql: `${sql} settings output_format_json_escape_forward_slashes = 0`, params };
}
