import { AnalyticsFeature } from '@tidemark/react';

export function Banner() {
  return (
    <AnalyticsFeature flag="banner" fallback={<p>Welcome</p>}>
      {(payload) => <a href="#sale">{payload?.text}</a>}
    </AnalyticsFeature>
  );
}
