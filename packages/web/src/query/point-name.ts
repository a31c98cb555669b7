/** What a name of a point may be in an address. */
export const isPointName = (text: string): boolean =>
  /^(\d+(\.\d+)?|(step|lost|cohort)\.\d+\.\d+|total\.\d+|(to|from|end)\.\d+_.*|edge\.\[.*\])$/s.test(text);
