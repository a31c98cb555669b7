import '@tidemark/react';

declare module '@tidemark/react' {
  interface FlagRegistry {
    layout: { value: false | 'list' | 'grid'; payload: { columns: number } };
    'new-checkout': { value: boolean; payload: null };
  }
}
