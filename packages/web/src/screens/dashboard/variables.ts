import type { Tile, VariableOverride } from '../../data/dashboards.js';
import type { Variable, VariableValue } from '../../data/variables.js';
import { unwrapQuestion } from '../../query/question.js';

const NAMED = /\{\s*variables\s*\.\s*(\w+)\s*\}/g;

/** The variables that the SQL of the tiles names, in the order of the project's. */
export function usedVariables(tiles: readonly Tile[], all: readonly Variable[]): Variable[] {
  const names = new Set(
    tiles.flatMap(({ insight }) => {
      const question = unwrapQuestion(insight?.query);
      if (question?.kind !== 'HogQLQuery') return [];
      return [...(question.query ?? '').matchAll(NAMED)].map(([, name]) => name);
    }),
  );
  return all.filter(({ code_name: name }) => names.has(name));
}

/** A value as a text of the address and of fields; null: the text is no value of the type. */
export function readValue(type: Variable['type'], text: string): VariableValue {
  if (type === 'Number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : null;
  if (type === 'Boolean') return text === 'true' ? true : text === 'false' ? false : null;
  if (type === 'Date') return Number.isNaN(Date.parse(text)) ? null : text;
  return text;
}

const overrideFor = ({ id, code_name }: Variable, value: VariableValue): VariableOverride => ({
  code_name,
  variableId: id,
  value,
});

/** The values of an address, by the ids of their variables. @param texts `code_name=value` each */
export function readOverrides(texts: readonly string[], all: readonly Variable[]): Record<string, VariableOverride> {
  const entries = texts.flatMap((text) => {
    const [name = '', ...rest] = text.split('=');
    const variable = all.find(({ code_name }) => code_name === name);
    const value = variable && readValue(variable.type, rest.join('='));
    return variable && value !== undefined && value !== null ? [[variable.id, overrideFor(variable, value)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The overrides that a tile names: a value of another tile does not compute it anew. */
export function overridesOf(
  tile: Tile,
  used: readonly Variable[],
  overrides: Record<string, VariableOverride>,
): Record<string, VariableOverride> {
  const entries = usedVariables([tile], used).flatMap(({ id }) => {
    const override = overrides[id];
    return override ? [[id, override] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The texts of an address with another value of one variable. @param value null: its own, which is in no address */
export function withValue(texts: readonly string[], { code_name: name }: Variable, value: VariableValue): string[] {
  const others = texts.filter((text) => !text.startsWith(`${name}=`));
  return value === null ? others : [...others, `${name}=${value}`];
}

/** The value that a dashboard stores for a variable, or its default. */
export function storedValue(variables: unknown, { id, code_name, default_value }: Variable): VariableValue {
  const stored = Object.entries((variables ?? {}) as Record<string, Partial<VariableOverride>>);
  const found = stored.find(([key, one]) => key === id || one?.code_name === code_name)?.[1];
  return found?.value !== undefined ? found.value : default_value;
}
