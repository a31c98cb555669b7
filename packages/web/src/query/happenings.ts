/** An annotation of the API, as far as charts need it. */
interface Noted {
  content: string | null;
  date_marker: string | null;
  scope: string;
  dashboard_item: number | null;
}

/** What happened, for the chart of an insight: the earliest first. @param insight number of the insight; null: it is not saved */
export const happeningsOf = (annotations: readonly Noted[], insight: number | null): { at: number; text: string }[] =>
  annotations
    .flatMap(({ content, date_marker: at, scope, dashboard_item: on }) => {
      const isShown = scope === 'project' || scope === 'organization' || (scope === 'dashboard_item' && on === insight);
      return content && at && isShown ? [{ at: Date.parse(at), text: content }] : [];
    })
    .sort((a, b) => a.at - b.at);
