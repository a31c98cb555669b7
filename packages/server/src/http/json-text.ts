/** An answer that its handler has written as JSON already. */
export class JsonText {
  constructor(readonly text: string) {}
}
