// without a lookbehind, which is a syntax error for Safari before 16.4: the whole script would not run
const BOTS =
  /(?:^|[^u]|(?:^|[^c])u)bot\b|bot[/;_-]|crawl|spider|slurp|headless|lighthouse|pagespeed|pingdom|prerender|phantomjs|archiver|scrape|external|preview|fetcher|uptime|claude-web|python-|curl/i;

/** Whether the user agent, or `navigator.webdriver`, says that the visitor is a program. */
export function isBot(browser: Pick<Navigator, 'userAgent' | 'webdriver'>, more: readonly string[] = []): boolean {
  const agent = browser.userAgent.toLowerCase();
  return !!browser.webdriver || BOTS.test(agent) || more.some((text) => agent.includes(text.toLowerCase()));
}
