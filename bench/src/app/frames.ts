import type { Browser } from '@tidemark/testkit';

type Page = Awaited<ReturnType<Browser['newPage']>>;

/** Notes the long tasks of all pages that a tab will load. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(`window.longest = 0;
    new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); })
      .observe({ type: 'longtask', buffered: true });`);
}

/** Longest task of the page's main thread since the last call, milliseconds; 0: none over 50 ms. */
export const longestTask = (page: Page): Promise<number> =>
  page.evaluate<number>('((longest) => ((window.longest = 0), longest))(window.longest)');

/** Times between frames, milliseconds. @param pixels that its longest list is scrolled with each frame; at the end it turns around */
export const frameTimes = (page: Page, ms: number, pixels = 0): Promise<number[]> =>
  page.evaluate<number[]>(`new Promise((resolve) => {
    const room = (element) => element.scrollHeight - element.clientHeight;
    const list = [...document.querySelectorAll('main, main *')].filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowY))
      .sort((a, b) => room(b) - room(a))[0];
    const times = [];
    const end = performance.now() + ${ms};
    let last = performance.now();
    let by = ${pixels};
    const frame = (now) => {
      times.push(now - last);
      last = now;
      if (by !== 0 && list) {
        const before = list.scrollTop;
        list.scrollTop += by;
        if (list.scrollTop === before) by = -by;
      }
      if (now < end) requestAnimationFrame(frame);
      else resolve(times);
    };
    requestAnimationFrame(frame);
  })`);
