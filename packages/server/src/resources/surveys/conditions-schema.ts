import type { SurveyConditions, SurveyUrlMatch } from '@tidemark/wire';
import { z } from 'zod';
import { bool, choice, integer, list, nullable, optional, text } from '../../http/fields.js';

const URL_MATCHES = ['exact', 'is_not', 'icontains', 'not_icontains', 'regex', 'not_regex'] as const satisfies SurveyUrlMatch[];

const words = (max: number) => optional(nullable(text({ max, blank: true })));

const CONDITIONS = {
  url: words(2000).describe(
    'The address of the page, a part of it or a pattern. React Native does not show surveys with this condition.',
  ),
  urlMatchType: optional(nullable(choice(URL_MATCHES))).describe('How the address is compared; default `icontains`.'),
  selector: words(1000).describe('CSS selector of an element that must be on the page.'),
  deviceTypes: optional(nullable(list(text({ max: 100 })))).describe(
    'Types of device, such as `Desktop`, `Mobile` and `Tablet`: the device must have one of them.',
  ),
  deviceTypesMatchType: optional(nullable(choice(URL_MATCHES))).describe('How the types are compared; default `icontains`.'),
  seenSurveyWaitPeriodInDays: optional(nullable(integer())).describe(
    'Days that must have passed since the person last saw any survey.',
  ),
  linkedFlagVariant: words(400).describe('Variant of the linked flag that the person must have; `any`: any variant.'),
  events: optional(
    nullable(
      z.object(
        {
          values: list(
            z.object({ name: text({ max: 200 }).describe('Name of the event.') }, 'Expected an event: { name }.'),
          ).describe('The events.'),
          repeatedActivation: optional(nullable(bool())).describe('Whether the survey is shown again at each such event.'),
        },
        'Expected { values }.',
      ),
    ),
  ).describe('One of these events must have happened.'),
};

/**
 * The conditions of a request. Unknown conditions are refused, because clients would ignore them and show the survey to everybody; empty
 * ones are removed.
 */
export const conditionsSchema = z
  .looseObject(CONDITIONS, 'Not a valid object.')
  .superRefine((given, ctx) => {
    for (const [name, value] of Object.entries(given)) {
      if (!(name in CONDITIONS) && !isEmpty(value)) refuse(ctx, name, 'There is no such condition.');
    }
    if (given.url && given.urlMatchType?.endsWith('regex') && !isPattern(given.url)) {
      refuse(ctx, 'url', 'Not a valid regular expression.');
    }
    if (given.deviceTypesMatchType?.endsWith('regex') && !given.deviceTypes?.every(isPattern)) {
      refuse(ctx, 'deviceTypes', 'Not a valid regular expression.');
    }
    if ((given.seenSurveyWaitPeriodInDays ?? 0) < 0) {
      refuse(ctx, 'seenSurveyWaitPeriodInDays', 'Ensure this value is greater than or equal to 0.');
    }
  })
  .transform(
    ({ url, urlMatchType, deviceTypes, deviceTypesMatchType, selector, ...rest }): SurveyConditions => ({
      ...(url ? { url, urlMatchType: urlMatchType ?? 'icontains' } : {}),
      ...(deviceTypes?.length ? { deviceTypes, deviceTypesMatchType: deviceTypesMatchType ?? 'icontains' } : {}),
      ...(selector ? { selector } : {}),
      ...(rest.seenSurveyWaitPeriodInDays ? { seenSurveyWaitPeriodInDays: rest.seenSurveyWaitPeriodInDays } : {}),
      ...(rest.linkedFlagVariant ? { linkedFlagVariant: rest.linkedFlagVariant } : {}),
      ...(rest.events?.values.length
        ? { events: { ...rest.events, repeatedActivation: rest.events.repeatedActivation ?? false } }
        : {}),
    }),
  )
  .meta({ additionalProperties: false });

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined || value === null || value === '';
  return Object.values(Object.hasOwn(value, 'values') ? Object(Reflect.get(value, 'values')) : value).length === 0;
}

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text));
  } catch {
    return false;
  }
}

function refuse(ctx: z.core.$RefinementCtx<unknown>, path: string, message: string): void {
  ctx.addIssue({ code: 'custom', message, params: { code: 'invalid_input' }, path: [path] });
}
