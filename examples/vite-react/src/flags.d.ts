import '@tidemark/react';

// `npx --no -- tidemark-flags-types --module @tidemark/react --out src/flags.d.ts` writes this file
declare module '@tidemark/react' {
  interface FlagRegistry {
    banner: { value: boolean; payload: { text: string } };
    layout: { value: false | 'list' | 'grid'; payload: { columns: number } };
    stars: { value: boolean; payload: null };
  }
}
