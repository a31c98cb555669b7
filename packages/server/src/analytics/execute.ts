import { ApiError } from '../kernel/errors.js';
import type { Json } from '../kernel/json.js';
import { type EventsStore, QueryFailed, type ReadResult, type ReadStatement } from '../ports/events.js';
import type { Span } from './buckets.js';
import type { IntervalParts, IntervalQuestion, IntervalRow, OtherForms } from './cache/interval-parts.js';
import type { Execute } from './kinds/kind.js';
import { describeUserSqlError, rowFilterSettings, type UserSqlScope } from './row-filter.js';
import { type Fragment, type Rendered, render } from './sql/fragment.js';

const MAX_SECONDS = 60;

/** Sentences for exceeded limits, by ClickHouse's error numbers. */
const TOO_MUCH: Record<number, string> = {
  159: `The query took longer than ${MAX_SECONDS} seconds. Ask for a shorter period or fewer events.`,
  160: 'The query would take too long. Ask for a shorter period or fewer events.',
  167: 'The query has too many parts within each other. Ask with fewer filters.',
  168: 'The query has too many parts. Ask with fewer series, filters or values.',
  241: 'The query needs more memory than it may use. Ask for a shorter period or fewer events.',
  396: 'The result is too large. Ask for fewer rows or columns.',
};

const tooMuch = ({ code, message }: QueryFailed): string | undefined =>
  // ClickHouse reports this limit as a syntax error
  message.startsWith('Max query size exceeded') ? TOO_MUCH[168] : TOO_MUCH[code];

/**
 * Creates the function that runs the statements of a query. Errors that the caller can fix become `invalid_input`; aborting `signal`
 * stops the engine. `parts`: the cache of intervals.
 */
export function createExecute(events: EventsStore, projectId: number, signal?: AbortSignal, parts?: IntervalParts): Execute {
  const run = async <Row>(
    read: ReadStatement,
    detailOf: (failure: QueryFailed) => string | undefined,
    attr = 'query',
  ): Promise<ReadResult<Row>> => {
    try {
      return await events.query<Row>({ ...read, tenant: projectId, maxSeconds: MAX_SECONDS, ...(signal ? { signal } : {}) });
    } catch (error) {
      // nobody reads this response; without the ApiError a disconnect would be logged as a server error
      if (signal?.aborted) throw new ApiError('unavailable', 'The client closed the connection.');
      const detail = error instanceof QueryFailed ? detailOf(error) : undefined;
      if (detail) throw new ApiError('invalid_input', detail, attr);
      throw error;
    }
  };
  const authored = <Row>(statement: Rendered, author: UserSqlScope, attr: string, further = ''): Promise<ReadResult<Row>> =>
    run(withSettings(statement, `${rowFilterSettings(author, events.rowFilterTables)}${further}`), describeUserSqlError, attr);
  const own = async <Row>(statement: Fragment): Promise<Row[]> => {
    const rendered = render(statement);
    const { userSqlZone: timezone } = rendered;
    const found =
      timezone === null
        ? run<Row>(ownStatement(rendered), tooMuch)
        : // an insight's statement that contains a user's expression
          authored<Row>(rendered, { projectId, timezone }, 'query', JOINS_AS_WRITTEN);
    return (await found).rows;
  };
  return Object.assign(own, {
    byInterval: async <Row extends IntervalRow>(question: IntervalQuestion) => parts?.rows<Row>(question, own<Row>) ?? null,
    ofSpan: async <Row extends object>(statement: Fragment, span: Span, forms: OtherForms = {}) => {
      if (parts) return parts.rowsOfSpan<Row>(statement, span, own<Row>, forms);
      const rows = await own<Row>(statement);
      return rows.length > 0 || !forms.otherwise ? rows : own<Row>(forms.otherwise);
    },
    userSql: (statement: Fragment, author: UserSqlScope, attr = 'query__query') =>
      authored<Record<string, Json>>(render(statement), author, attr),
  });
}

/** What follows each statement. `toJSONString` must not escape `/`: filters compare the JSON of lists with plain text. */
export const SETTINGS = ' settings output_format_json_escape_forward_slashes = 0';

/**
 * Our statements join what is smaller to the events. The engine must not build a hash table of events instead, which it does once it knows
 * their number: paths then take three times as long.
 */
const JOINS_AS_WRITTEN = ", query_plan_join_swap_table = 'false'";

/**
 * On a cluster, a join or `IN` without GLOBAL reads the rows of its own shard. Our statements say GLOBAL wherever they need those of others;
 * users do not know of shards, so that their statements read all rows, as the store's settings say.
 */
const COLOCATED = ", distributed_product_mode = 'local', prefer_global_in_and_join = 0";

/** A statement with the settings of those that contain no SQL of users. */
export const ownStatement = (statement: Rendered): { sql: string; params: Record<string, unknown> } =>
  withSettings(statement, `${COLOCATED}${JOINS_AS_WRITTEN}`);

function withSettings({ sql, params }: Rendered, further = ''): { sql: string; params: Record<string, unknown> } {
  return { sql: `${sql}${SETTINGS}${further}`, params };
}
