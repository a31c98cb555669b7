export interface Emitter<Events> {
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void;
}

/** Event listeners by name. @param guard calls each listener, so that one that throws does not stop the others */
export function createEmitter<Events>(guard: <Detail>(run: (detail: Detail) => void, detail: Detail) => void): Emitter<Events> {
  const listeners: { [Name in keyof Events]?: ReadonlySet<(detail: Events[Name]) => void> } = Object.create(null);
  return {
    // copy on write: a listener may add or remove listeners while `emit` calls them
    on(name, listener) {
      listeners[name] = new Set(listeners[name]).add(listener);
      return () => {
        const others = new Set(listeners[name]);
        others.delete(listener);
        listeners[name] = others;
      };
    },
    emit(name, detail) {
      for (const listener of listeners[name] ?? []) guard(listener, detail);
    },
  };
}
