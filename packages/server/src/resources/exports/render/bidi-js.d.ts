/** The package's own types declare its CommonJS export as `default`, which is not what Node.js imports. */
declare module 'bidi-js' {
  /** The part of its API that we use. */
  interface Bidi {
    getEmbeddingLevels(text: string, baseDirection: 'ltr' | 'rtl'): { levels: Uint8Array };
    getMirroredCharacter(char: string): string | null;
  }
  const createBidi: () => Bidi;
  export = createBidi;
}
