declare module '*.css' {
  /** The style sheet as it is written. */
  const text: string;

  export = text;
}
