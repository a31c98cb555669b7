declare module 'react-test-renderer' {
  import type { ReactNode } from 'react';

  export interface TestInstance {
    type: unknown;
    props: Record<string, unknown>;
    parent: TestInstance | null;
    find(predicate: (node: TestInstance) => boolean): TestInstance;
    findByType(type: unknown): TestInstance;
    /** The node in React's own tree. */
    _fiber: unknown;
  }
  export interface Renderer {
    root: TestInstance;
    toJSON(): unknown;
    update(element: ReactNode): void;
    unmount(): void;
  }
  export function create(element: ReactNode): Renderer;
  export function act(work: () => Promise<void>): Promise<void>;
  export function act(work: () => void): void;
}
