declare module 'fontkit' {
  /** The part of its API that we use. */
  export interface Font {
    postscriptName: string;
    unitsPerEm: number;
    directory: { tables: Record<string, unknown> };
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): { advanceWidth: number };
  }
  export function openSync(path: string): Font | { fonts: Font[] };
}
