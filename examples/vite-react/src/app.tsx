import { ErrorBoundary, useAnalytics } from '@tidemark/react';
import { useState } from 'react';
import { Banner } from './banner';
import { Products } from './products';

export function App() {
  const analytics = useAnalytics();
  const [name, setName] = useState<string>();

  const signIn = () => {
    setName('Ada');
    analytics?.identify('user-ada', { email: 'ada@example.com' });
    analytics?.group('company', 'acme');
  };

  return (
    <>
      <header>
        {name ? (
          `Hello ${name}`
        ) : (
          <button type="button" onClick={signIn}>
            Sign in
          </button>
        )}
      </header>
      <Banner />
      <ErrorBoundary fallback={<p>Something went wrong.</p>}>
        <Products />
      </ErrorBoundary>
    </>
  );
}
