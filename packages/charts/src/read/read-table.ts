import type { ColorRule, ShownColumn, TableOptions } from '../insight.js';
import { type Fields, fields, text, texts } from './read-fields.js';
import { colorFrom, styleOfColumn } from './read-settings.js';

/**
 * Reads the display options of a table: `tableSettings` of a `DataVisualizationNode` (`columns`, `pinnedColumns`,
 * `conditionalFormatting`, `showTotalRow`, `transpose`), `hiddenColumns` and `pinnedColumns` of a `DataTableNode`. Null: the node
 * has none.
 */
export function tableOptionsOf(node: Fields, columns: readonly string[]): TableOptions | null {
  const settings = fields(node['tableSettings']);
  const rules = rulesOf(settings['conditionalFormatting']);
  const named = (Array.isArray(settings['columns']) ? settings['columns'] : []).map(fields).flatMap(({ column, settings }) => {
    const index = columns.indexOf(text(column) ?? '');
    return index < 0 ? [] : [shownColumn(index, columns, settings, rules)];
  });
  const all = named.length > 0 ? named : columns.map((_, index) => shownColumn(index, columns, null, rules));
  const hidden = new Set(texts(node['hiddenColumns']));
  const pinned = [...texts(settings['pinnedColumns']), ...texts(node['pinnedColumns'])];
  const shown = all.filter(({ index }) => !hidden.has(columns[index] ?? ''));
  const isPinned = ({ index }: ShownColumn) => pinned.includes(columns[index] ?? '');
  const tableOptions: TableOptions = {
    columns: [...shown.filter(isPinned), ...shown.filter((column) => !isPinned(column))],
    hasTotals: settings['showTotalRow'] === true,
    isTransposed: settings['transpose'] === true,
  };
  const hasOptions =
    named.length > 0 ||
    rules.size > 0 ||
    hidden.size > 0 ||
    pinned.length > 0 ||
    tableOptions.hasTotals ||
    tableOptions.isTransposed;
  return hasOptions ? tableOptions : null;
}

function shownColumn(
  index: number,
  columns: readonly string[],
  settings: unknown,
  rules: ReadonlyMap<string, ColorRule[]>,
): ShownColumn {
  const name = columns[index] ?? '';
  const style = styleOfColumn(settings);
  return {
    index,
    label: text(fields(fields(settings)['display'])['label']) ?? name,
    ...(style ? { style } : {}),
    rules: rules.get(name) ?? [],
  };
}

/** Settings by column name. */
function rulesOf(value: unknown): Map<string, ColorRule[]> {
  const rules = new Map<string, ColorRule[]>();
  for (const { columnName, templateId, input, color } of (Array.isArray(value) ? value : []).map(fields)) {
    const [name, test, safe] = [text(columnName), text(templateId), colorFrom(color)];
    if (name === null || test === null || safe === null) continue;
    rules.set(name, [...(rules.get(name) ?? []), { test, input: String(input ?? ''), color: safe }]);
  }
  return rules;
}
