import { type Browser, eventually, launchBrowser, type Service, startService } from '@tidemark/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPage, pageWith, type Site, startSite, storedEvents } from './browser-site.js';
import { compareImportAfterAll } from './testing/compare-import.js';
import { axe } from './testing/public-pages.js';

let service: Service;
let browser: Browser;
let site: Site;
beforeAll(async () => {
  [service, browser] = await Promise.all([startService(), launchBrowser()]);
  const body = '<main><h1>Shop</h1><input id="search" aria-label="Search"></main>';
  // no style may be written into the page, and no HTML be parsed
  const policy = `default-src 'none'; script-src 'unsafe-inline' ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'`;
  const before = `addEventListener('securitypolicyviolation', ({ effectiveDirective }) => { throw new Error('refused: ' + effectiveDirective); });
    window.keys = []; addEventListener('keydown', ({ key }) => keys.push(key));`;
  site = await startSite((path) => {
    const options = path === '/off' ? { surveys: false } : {};
    const html = pageWith(service.url, service.account.projectKey, { body, before, options });
    return {
      html: html.replace('<!doctype html>', `<!doctype html><html lang="en" dir="${path === '/rtl' ? 'rtl' : 'ltr'}">`),
      headers: { 'content-security-policy': policy },
    };
  });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.close();
});
compareImportAfterAll(() => service);

const SURVEYS = '/api/projects/@current/surveys/';

/** Runs `use` while the project has this survey; returns its id. */
async function withSurvey(fields: object, use: (id: string) => Promise<void>): Promise<void> {
  const { status, body } = await service.post(SURVEYS, {
    name: 'Feedback',
    type: 'popover',
    start_date: '2026-01-01T00:00:00Z',
    ...fields,
  });
  expect(status, JSON.stringify(body)).toBe(201);
  const { id } = body as { id: string };
  try {
    await use(id);
  } finally {
    await service.call('PATCH', `${SURVEYS}${id}/`, { body: { archived: true } });
  }
}

async function visit(path: string) {
  const watched = await openPage(browser);
  const { page } = watched;
  const load = async () => {
    const config = page.waitForResponse(/\/array\//);
    await page.goto(site.url + path);
    await config;
  };
  await load();
  const visitor = await page.evaluate<string>('tidemark.getDistinctId()');
  const events = async () => {
    await page.evaluate('tidemark.flush()');
    return (await storedEvents(service, [visitor])).filter(({ event }) => event.startsWith('survey'));
  };
  return { ...watched, load, events, dialog: page.getByRole('dialog') };
}

test('a visitor answers a survey of several questions by keyboard and pointer, and is not asked again', async () => {
  const questions = [
    {
      id: 'nps',
      type: 'rating',
      question: 'Would you recommend us?',
      scale: 10,
      branching: { type: 'response_based', responseValues: { promoters: 2 } },
    },
    { id: 'skipped', type: 'open', question: 'What is wrong?' },
    { id: 'why', type: 'multiple_choice', question: 'Why?', choices: ['Price', 'Speed', 'Other'], hasOpenChoice: true },
    { id: 'more', type: 'open', question: 'Anything else?', optional: true },
  ];
  await withSurvey(
    { questions, enable_partial_responses: true, appearance: { thankYouMessageHeader: 'Many thanks' } },
    async (id) => {
      const { page, dialog, events, load, errors, close } = await visit('/');
      await dialog.waitFor();
      expect(await dialog.evaluate('document.activeElement.localName')).toBe('tidemark-survey');
      await page.keyboard.press('Tab');
      await page.keyboard.press('ArrowLeft');
      expect(await page.getByRole('radio', { name: '10' }).isChecked()).toBe(true);
      await page.getByRole('button', { name: 'Submit' }).click();

      await page.getByRole('checkbox', { name: 'Speed' }).check();
      await page.getByRole('checkbox', { name: 'Other' }).check();
      await page.keyboard.type('Tea');
      await page.keyboard.press('Enter');

      await page.getByRole('textbox', { name: 'Anything else?' }).fill('No');
      await page.getByRole('button', { name: 'Submit' }).click();
      await page.getByText('Many thanks').waitFor();
      await page.getByRole('button', { name: 'Close' }).first().click();
      await dialog.waitFor({ state: 'detached' });

      await load();
      await page.evaluate(`tidemark.capture('later')`);
      await eventually(async () => {
        const all = await events();
        expect(all.map(({ event }) => event)).toEqual(['survey shown', 'survey sent', 'survey sent', 'survey sent']);
        expect(all.at(-1)?.properties).toMatchObject({
          $survey_id: id,
          $survey_completed: true,
          $survey_response_nps: 10,
          $survey_response_why: ['Speed', 'Tea'],
          $survey_response_more: 'No',
        });
        expect(all.at(-1)?.properties).not.toHaveProperty('$survey_response_skipped');
      });
      expect(await page.evaluate('keys.join("")')).not.toContain('Tea');
      expect(await dialog.count()).toBe(0);
      expect(errors).toEqual([]);
      await close();
    },
  );
});

test('Tab stays in the survey, a required answer is demanded, and Escape dismisses it for good', async () => {
  await withSurvey({ questions: [{ id: 'q', type: 'open', question: 'How was it?' }] }, async () => {
    const { page, dialog, events, load, errors, close } = await visit('/');
    await dialog.waitFor();
    const focused = () => page.evaluate(`document.activeElement.shadowRoot?.activeElement?.localName`);
    const passed: unknown[] = [];
    for (const key of ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+Tab']) {
      await page.keyboard.press(key);
      passed.push(await focused());
    }
    expect(passed).toEqual(['textarea', 'button', 'button', 'textarea', 'button']);
    await page.getByRole('button', { name: 'Submit' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('This question needs an answer.');
    expect(await focused()).toBe('textarea');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await load();
    await eventually(async () => {
      expect((await events()).map(({ event }) => event)).toEqual(['survey shown', 'survey dismissed']);
    });
    expect([await dialog.count(), errors]).toEqual([0, []]);
    await close();
  });
});

test('it is not shown where the page says so, and does not take the focus of a field', async () => {
  await withSurvey(
    { questions: [{ id: 'q', type: 'rating', question: 'How?', display: 'emoji', skipSubmitButton: true }] },
    async (id) => {
      const off = await visit('/off');
      const { page, dialog, events, close } = await visit('/');
      await page.focus('#search');
      await dialog.waitFor();
      expect(await page.evaluate('document.activeElement.id')).toBe('search');
      await page.getByRole('radio', { name: '4 of 5' }).click();
      await page.getByText('Thank you for your feedback').waitFor();
      await eventually(async () =>
        expect((await events()).at(-1)?.properties).toMatchObject({ $survey_id: id, $survey_response_q: 4 }),
      );
      expect([await off.dialog.count(), (await off.events()).length]).toEqual([0, 0]);
      await Promise.all([close(), off.close()]);
    },
  );
});

test('a visitor goes back, finds the earlier answer and the order of the choices, and changes it', async () => {
  const choices = Array.from({ length: 9 }, (_, index) => `Choice ${index}`);
  const questions = [
    {
      id: 'a',
      type: 'single_choice',
      question: 'Which?',
      choices,
      shuffleOptions: true,
      hasOpenChoice: true,
      skipSubmitButton: true,
    },
    { id: 'b', type: 'rating', question: 'How?', scale: 5 },
    { id: 'c', type: 'open', question: 'More?' },
  ];
  await withSurvey({ questions, appearance: { allowGoBack: true, backButtonText: 'Before' } }, async () => {
    const { page, dialog, events, errors, close } = await visit('/');
    await dialog.waitFor();
    const order = () => dialog.locator('.choices label').allTextContents();
    const first = await order();
    expect([first.at(-1), [...first].sort()]).toEqual(['Choice 8', choices]);
    expect(await page.getByRole('button', { name: 'Before' }).count()).toBe(0);
    await page.getByText('Choice 3').click();
    await page.getByRole('radio', { name: '4' }).check();
    await page.getByRole('button', { name: 'Submit' }).click();
    await dialog.getByRole('textbox').fill('first thought');
    await page.getByRole('button', { name: 'Before' }).click();
    expect(await page.getByRole('radio', { name: '4' }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Before' }).click();
    expect(await order()).toEqual(first);
    expect(await page.getByRole('radio', { name: 'Choice 3' }).isChecked()).toBe(true);
    await page.getByText('Choice 5').click();
    await page.getByRole('button', { name: 'Submit' }).click();
    await dialog.getByRole('textbox').fill('second thought');
    await page.getByRole('button', { name: 'Submit' }).click();
    await page.getByText('Thank you for your feedback').waitFor();
    await eventually(async () =>
      expect((await events()).at(-1)?.properties).toMatchObject({
        $survey_response_a: 'Choice 5',
        $survey_response_b: 4,
        $survey_response_c: 'second thought',
      }),
    );
    expect(errors).toEqual([]);
    await close();
  });
});

test('it speaks the language of the browser, and leaves with the address that it is for', async () => {
  const translations = { fr: { question: 'Comment ?', buttonText: 'Envoyer' } };
  await withSurvey(
    {
      questions: [{ id: 'q', type: 'open', question: 'How?', translations }],
      conditions: { url: '/cart' },
      translations: { fr: { thankYouMessageHeader: 'Merci' } },
      appearance: { thankYouMessageHeader: 'Thanks' },
    },
    async () => {
      const context = await browser.newContext({ locale: 'fr-CA' });
      const page = await context.newPage();
      await page.goto(`${site.url}/cart`);
      const dialog = page.getByRole('dialog', { name: 'Comment ?' });
      await dialog.waitFor();
      await page.getByRole('textbox', { name: 'Comment ?' }).fill('Bien');
      await page.evaluate(`history.pushState({}, '', '/cart/2')`);
      expect(await dialog.isVisible()).toBe(true);
      await page.evaluate(`history.pushState({}, '', '/home')`);
      await dialog.waitFor({ state: 'detached' });
      await page.evaluate(`history.back()`);
      await dialog.waitFor();
      await dialog.getByRole('textbox').fill('Bien');
      await page.getByRole('button', { name: 'Envoyer' }).click();
      await page.getByRole('heading', { name: 'Merci' }).waitFor();
      const visitor = await page.evaluate<string>('tidemark.getDistinctId()');
      await page.evaluate('tidemark.flush()');
      await eventually(async () => {
        const own = (await storedEvents(service, [visitor])).filter(({ event }) => event.startsWith('survey'));
        expect(own.map(({ event }) => event)).toEqual(['survey shown', 'survey shown', 'survey sent']);
        expect(own.at(-1)?.properties).toMatchObject({ $survey_language: 'fr', $survey_response_q: 'Bien' });
      });
      await context.close();
    },
  );
});

/** Whether the text of the question lies below the button that closes the survey. */
const IS_COVERED = `(() => {
  const { shadowRoot } = document.querySelector('tidemark-survey');
  const text = document.createRange();
  text.selectNodeContents(shadowRoot.querySelector('h2'));
  const [a, b] = [text, shadowRoot.querySelector('.close')].map((one) => one.getBoundingClientRect());
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
})()`;

test.each([
  ['/rtl', 'How likely is it that you recommend us to others?'],
  ['/rtl', 'מה הסיכוי שתמליצו עלינו לחברים או לעמיתים?'],
  ['/', 'How likely is it that you recommend us to others?'],
  ['/', 'מה הסיכוי שתמליצו עלינו לחברים או לעמיתים?'],
])('on %s nothing lies over the question "%s"', async (path, question) => {
  await withSurvey({ questions: [{ id: 'a', type: 'rating', question, scale: 10 }] }, async () => {
    const { page, dialog, close } = await visit(path);
    await dialog.waitFor();
    expect(await page.evaluate(IS_COVERED)).toBe(false);
    const [scale, card] = await Promise.all([
      page.getByRole('radio', { name: '0', exact: true }).boundingBox(),
      dialog.boundingBox(),
    ]);
    const isLeft = (scale?.x ?? 0) < (card?.x ?? 0) + (card?.width ?? 0) / 2;
    expect(isLeft).toBe(path !== '/rtl');
    await close();
  });
});

test('CSS variables of the page set its looks', async () => {
  await withSurvey(
    { questions: [{ id: 'a', type: 'open', question: 'Why?' }], appearance: { borderRadius: '9px' } },
    async () => {
      const { page, dialog, close } = await visit('/');
      await dialog.waitFor();
      const looks = () =>
        page.evaluate(`(() => {
        const { shadowRoot } = document.querySelector('tidemark-survey');
        const of = (selector) => getComputedStyle(shadowRoot.querySelector(selector));
        return [of('.send').backgroundColor, of('.card').borderRadius, of('.card').width];
      })()`);
      expect(await looks()).toEqual(['rgb(11, 107, 158)', '9px', '360px']);
      await page.evaluate(`for (const [name, value] of [['accent', 'rgb(1, 2, 3)'], ['radius', '0px'], ['width', '300px']])
      document.documentElement.style.setProperty('--tidemark-survey-' + name, value)`);
      expect(await looks()).toEqual(['rgb(1, 2, 3)', '0px', '300px']);
      await close();
    },
  );
});

test.each(['light', 'dark'] as const)('axe finds nothing in the survey in %s', async (colorScheme) => {
  const questions = [
    { id: 'a', type: 'rating', question: 'Stars?', stars: true, lowerBoundLabel: 'Low', upperBoundLabel: 'High', optional: true },
    { id: 'b', type: 'single_choice', question: 'Which?', choices: ['A', 'B'], hasOpenChoice: true, optional: true },
    { id: 'n', type: 'rating', question: 'Would you?', scale: 10, lowerBoundLabel: 'No', upperBoundLabel: 'Yes', optional: true },
    { id: 'm', type: 'multiple_choice', question: 'Which all?', choices: ['A', 'B'], optional: true },
    { id: 'o', type: 'open', question: 'Else?', optional: true },
    { id: 'c', type: 'link', question: 'Come', description: 'All of you', link: 'https://example.com', buttonText: 'Go' },
  ];
  await withSurvey(
    {
      questions,
      name: colorScheme,
      appearance: { displayIntroScreen: true, introScreenHeader: 'Two minutes?', allowGoBack: true },
    },
    async () => {
      const context = await browser.newContext({ colorScheme, bypassCSP: true });
      const page = await context.newPage();
      await page.goto(site.url);
      await page.getByRole('dialog').waitFor();
      const found = [];
      for (const button of ['Start', ...Array(5).fill('Submit')]) {
        found.push(...(await axe(page)));
        await page.getByRole('button', { name: button }).click();
      }
      found.push(...(await axe(page)));
      expect(found).toEqual([]);
      await context.close();
    },
  );
});
