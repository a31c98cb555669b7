import '@tidemark/react';

declare module '@tidemark/react' {
  interface EventRegistry {
    'Product Chosen': { name: string };
  }
}
