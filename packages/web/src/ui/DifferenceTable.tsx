/** One difference between two versions of an object, in words. */
export interface Difference {
  what: string;
  /** Empty: there was none. */
  before: string;
  after: string;
}

interface DifferenceTableProps {
  differences: readonly Difference[];
  /** What stands in its place when there is no difference. */
  none: string;
  heads?: readonly [before: string, after: string];
}

/** What changed from one version of an object to another. */
export function DifferenceTable({ differences, none, heads = ['Before', 'After'] }: DifferenceTableProps) {
  if (differences.length === 0) return <p className="text-13 text-text-2">{none}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto rounded-l border border-border bg-surface">
      <table className="w-full text-left text-13">
        <thead>
          <tr className="border-b border-border text-12 text-text-3">
            {['What', ...heads].map((head) => (
              <th key={head} scope="col" className="px-3 py-2 font-medium">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-border">
          {differences.map(({ what, before, after }) => (
            <tr key={what + before + after} className="align-top">
              <th scope="row" className="min-w-24 px-3 py-2 font-medium wrap-anywhere">
                {what}
              </th>
              <td className="min-w-32 px-3 py-2 text-bad wrap-anywhere">{before || <None />}</td>
              <td className="min-w-32 px-3 py-2 text-good wrap-anywhere">{after || <None />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const None = () => <span className="text-text-3">none</span>;
