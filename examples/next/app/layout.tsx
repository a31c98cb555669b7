import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { analytics, apiKey, host } from './analytics';
import { Providers } from './providers';

export default async function RootLayout({ children }: { children: ReactNode }) {
  // who visits (by the cookie of the browser client), and that person's flags
  const bootstrap = await analytics.getBootstrap({ headers: await headers() });
  return (
    <html lang="en">
      <body>
        <Providers apiKey={apiKey} options={{ api_host: host, bootstrap }}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
