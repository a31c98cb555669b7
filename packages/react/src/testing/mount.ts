import { act, type ReactNode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { onTestFinished } from 'vitest';

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean | undefined;
}

/** A tree on the page. */
export interface Mounted {
  container: HTMLElement;
  text(): string;
  render(element: ReactNode): void;
  unmount(): void;
}

interface Root {
  render(element: ReactNode): void;
  unmount(): void;
}

/** Renders on the page and runs the effects. */
export function mount(element: ReactNode): Mounted {
  return mountBy((container) => {
    const root = createRoot(container);
    act(() => root.render(element));
    return root;
  });
}

/** Goes on with what a server rendered; `problems` collects what React had to mend. */
export function hydrate(html: string, element: ReactNode, problems: unknown[]): Mounted {
  return mountBy((container) => {
    container.innerHTML = html;
    let root: Root | undefined;
    act(() => {
      root = hydrateRoot(container, element, { onRecoverableError: (error) => problems.push(error) });
    });
    return root;
  });
}

function mountBy(start: (container: HTMLElement) => Root | undefined): Mounted {
  globalThis.IS_REACT_ACT_ENVIRONMENT = true;
  const container = document.createElement('div');
  document.body.append(container);
  const root = start(container);
  const unmount = () => {
    act(() => root?.unmount());
    container.remove();
  };
  onTestFinished(unmount);
  return {
    container,
    text: () => container.textContent ?? '',
    render: (element) => act(() => root?.render(element)),
    unmount,
  };
}
