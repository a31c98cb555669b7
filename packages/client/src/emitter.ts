export interface Emitter<Events> {
  on<Name extends keyof Events>(name: Name, listener: (detail: Events[Name]) => void): () => void;
  emit<Name extends keyof Events>(name: Name, detail: Events[Name]): void;
}

/** Listeners by name. @param guard runs each, so that one that throws does not stop the others */
export function createEmitter<Events>(guard: <Detail>(run: (detail: Detail) => void, detail: Detail) => void): Emitter<Events> {
  const listeners: { [Name in keyof Events]?: Set<(detail: Events[Name]) => void> } = Object.create(null);
  return {
    on(name, listener) {
      listeners[name] ??= new Set();
      const own = listeners[name].add(listener);
      return () => void own.delete(listener);
    },
    emit(name, detail) {
      // Copied, so that listeners may come and go meanwhile.
      for (const listener of [...(listeners[name] ?? [])]) guard(listener, detail);
    },
  };
}
