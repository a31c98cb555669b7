import type { Fragment } from '../../sql/fragment.js';
import type { Expr } from './ast.js';
import { argument, given } from './names.js';
import { inJson, isAlias, type Scope } from './scope.js';
import { SqlFault } from './sql-fault.js';
import type { Form } from './views.js';

/** Cost of one step of a path against the size limit, in characters. */
const STEP_COST = 20;

/** Resolves a name: argument of a lambda, alias, column, or expression of the `with` clause. */
export function readField(
  chain: readonly string[],
  scope: Scope,
  form: Form,
): { fragment: Fragment } | { expr: Expr; scope: Scope } {
  const [first = '', ...rest] = chain;
  scope.statement.spend(scope.sources.length + STEP_COST * chain.length);
  if (scope.args.has(first)) return { fragment: inJson(argument(first), rest) };
  if (isAlias(scope, first)) return { fragment: inJson(given(first), rest) };
  const named = scope.sources.find(({ name }) => name === first);
  const ofNamed = rest.length > 0 ? named?.read(rest, form) : null;
  if (ofNamed) return { fragment: ofNamed };
  const found = scope.sources.flatMap((source) => {
    const fragment = source.read(chain, form);
    return fragment ? [fragment] : [];
  });
  const [fragment] = found;
  if (found.length > 1) throw new SqlFault(`"${shown(chain)}" is in more than one table: say in which.`);
  if (fragment) return { fragment };
  const value = rest.length === 0 ? scope.values.get(first) : undefined;
  if (value) return { expr: value.expr, scope: { ...scope, values: value.scope.values } };
  throw new SqlFault(`"${shown(chain)}" is not a column.`);
}

const shown = (chain: readonly string[]): string => chain.join('.').slice(0, 200);
