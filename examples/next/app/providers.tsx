'use client';
import { AnalyticsProvider, type BrowserOptions } from '@tidemark/react';
import type { ReactNode } from 'react';

interface ProvidersProps {
  apiKey: string;
  options: BrowserOptions;
  children: ReactNode;
}

export function Providers({ apiKey, options, children }: ProvidersProps) {
  return (
    <AnalyticsProvider apiKey={apiKey} options={options}>
      {children}
    </AnalyticsProvider>
  );
}
