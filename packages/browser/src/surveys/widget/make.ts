/** Creates an element with these properties; names with a dash, and `role`, are attributes. Texts are never parsed as HTML. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Readonly<Record<string, unknown>> = {},
  ...children: (Node | string | undefined)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined) continue;
    if (name.includes('-') || name === 'role') element.setAttribute(name, String(value));
    else Reflect.set(element, name, value);
  }
  element.append(...children.filter((child) => child !== undefined));
  return element;
}
