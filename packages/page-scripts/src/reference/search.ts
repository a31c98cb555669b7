/** Filters the navigation by words in summaries, methods and paths. `/` goes to the search, Enter to its first result, Escape clears it. */
export function enableSearch(): void {
  const search = document.querySelector<HTMLInputElement>('#search');
  const nothing = document.querySelector<HTMLElement>('#nothing');
  if (!search || !nothing) return;
  const groups = [...document.querySelectorAll<HTMLDetailsElement>('nav details')].map((group) => ({
    group,
    wasOpen: group.open,
    links: [...group.querySelectorAll<HTMLAnchorElement>('a')],
  }));
  search.hidden = false;

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const { group, wasOpen, links } of groups) {
      const matches = links.filter((link) => {
        const isMatch = words.every((word) => link.dataset['find']?.includes(word));
        if (link.parentElement) link.parentElement.hidden = !isMatch;
        return isMatch;
      });
      group.hidden = matches.length === 0;
      group.open = words.length > 0 ? matches.length > 0 : wasOpen;
      found += matches.length;
    }
    nothing.hidden = found > 0;
  };
  search.addEventListener('input', filter);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') document.querySelector<HTMLAnchorElement>('nav details:not([hidden]) li:not([hidden]) a')?.click();
    if (event.key !== 'Escape') return;
    search.value = '';
    filter();
  });
  document.addEventListener('keydown', (event) => {
    const target = event.target;
    const isTyping = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
}
