declare module 'fontkit' {
  /** What is used of it. */
  export interface Font {
    postscriptName: string;
    unitsPerEm: number;
    directory: { tables: Record<string, unknown> };
    hasGlyphForCodePoint(codePoint: number): boolean;
    glyphForCodePoint(codePoint: number): { advanceWidth: number };
  }
  export function openSync(path: string): Font | { fonts: Font[] };
}
