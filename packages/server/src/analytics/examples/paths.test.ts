import { workedExamples } from '../../testing/worked-examples.js';

/* Which way people go. A line is an edge: from a step to the next, how many paths go it, and how long that takes on average. */

const example = workedExamples();

const paths = (pathsFilter: object = {}, rest: object = {}) => ({
  kind: 'PathsQuery',
  pathsFilter: { ...pathsFilter },
  ...rest,
});

const page = (path: string) => `$pageview  $current_url=https://shop.example/${path}`;

example('Steps are numbered along each path', {
  because: 'Ann and Ben both went from home to search; only Ann went on.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:04  buy
    ben  2024-05-01 11:00  home
    ben  2024-05-01 11:03  search
  `,
  query: paths(),
  answer: `
    1_home > 2_search  2  120 s
    2_search > 3_buy  1  180 s
  `,
});

example('Names of screens and of events of your own are steps where their types are asked for', {
  because: "The page is of another type; `$rageclick` is no event of one's own.",
  events: `
    ann  2024-05-01 10:00  $screen  $screen_name=Home
    ann  2024-05-01 10:01  $pageview  $current_url=https://shop.example/
    ann  2024-05-01 10:02  $rageclick
    ann  2024-05-01 10:03  buy
  `,
  query: paths({ includeEventTypes: ['$screen', 'custom_event'] }),
  answer: `
    1_Home > 2_buy  1  180 s
  `,
});

example('The same step several times in a row is one', {
  because: 'She searched three times; the time to buy counts from the first of them.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  search
    ann  2024-05-01 10:03  search
    ann  2024-05-01 10:05  buy
  `,
  query: paths(),
  answer: `
    1_home > 2_search  1  60 s
    2_search > 3_buy  1  240 s
  `,
});

example('After a pause of more than half an hour a new path begins', {
  because: 'Exactly 30 minutes are no such pause, 31 are: buying is the first step of a path that has no second one.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:30  search
    ann  2024-05-01 11:01  buy
  `,
  query: paths(),
  answer: '1_home > 2_search  1  1800 s',
});

example('A page view is called by its address, without a slash at the end', {
  because: 'Both forms of the pricing page are one step; an event of your own has its name.',
  events: `
    ann  2024-05-01 10:00  ${page('')}
    ann  2024-05-01 10:01  ${page('pricing/')}
    ann  2024-05-01 10:02  ${page('pricing')}
    ann  2024-05-01 10:03  signed up
  `,
  query: paths(),
  answer: `
    1_https://shop.example > 2_https://shop.example/pricing  1  60 s
    2_https://shop.example/pricing > 3_signed up  1  120 s
  `,
});

example('Types choose what a step is', {
  because: 'Only pages are asked for: what she did between them is not there.',
  events: `
    ann  2024-05-01 10:00  ${page('a')}
    ann  2024-05-01 10:01  signed up
    ann  2024-05-01 10:02  ${page('b')}
  `,
  query: paths({ includeEventTypes: ['$pageview'] }),
  answer: '1_https://shop.example/a > 2_https://shop.example/b  1  120 s',
});

example('Paths begin at the start and end at the first end after it', {
  because: 'What Ann did before searching and after buying is cut off. Ben never searched.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  look
    ann  2024-05-01 10:03  buy
    ann  2024-05-01 10:04  home
    ben  2024-05-01 10:00  home
    ben  2024-05-01 10:01  buy
  `,
  query: paths({ startPoint: 'search', endPoint: 'buy' }),
  answer: `
    1_search > 2_look  1  60 s
    2_look > 3_buy  1  60 s
  `,
});

example('Without a start the last steps before the end are shown', {
  because: 'Of four steps the last three are kept.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  look
    ann  2024-05-01 10:03  buy
  `,
  query: paths({ endPoint: 'buy', stepLimit: 3 }),
  answer: `
    1_search > 2_look  1  60 s
    2_look > 3_buy  1  60 s
  `,
});

example('A grouping may stand anywhere in a step', {
  because: 'Both payment pages have a part that reads /merchant/, anything, /payment: they become one step.',
  events: `
    ann  2024-05-01 10:00  ${page('cart')}
    ann  2024-05-01 10:01  ${page('merchant/1/payment')}
    ben  2024-05-01 10:00  ${page('cart')}
    ben  2024-05-01 10:03  ${page('merchant/2/payment')}
  `,
  query: paths({ pathGroupings: ['/merchant/*/payment'] }),
  answer: '1_https://shop.example/cart > 2_/merchant/*/payment  2  120 s',
});

example('Steps that are passed over leave no gap', {
  because: 'Without the search she went straight from home to buying.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  buy
  `,
  query: paths({ excludeEvents: ['search'] }),
  answer: '1_home > 2_buy  1  120 s',
});

example('An exclusion with a wildcard passes over all steps in which it is found', {
  because: 'Both help pages are passed over, whatever their numbers.',
  events: `
    ann  2024-05-01 10:00  ${page('a')}
    ann  2024-05-01 10:01  ${page('help/1/text')}
    ann  2024-05-01 10:02  ${page('help/2/text')}
    ann  2024-05-01 10:03  ${page('b')}
  `,
  query: paths({ excludeEvents: ['/help/*/text'] }),
  answer: '1_https://shop.example/a > 2_https://shop.example/b  1  180 s',
});

example('A path has as many steps as are asked for', {
  because: 'The default is five; here it is two.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  buy
  `,
  query: paths({ stepLimit: 2 }),
  answer: '1_home > 2_search  1  60 s',
});

example('Edges that few go can be left out', {
  because: 'Two went from home to search, one from home to buy.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ben  2024-05-01 10:00  home
    ben  2024-05-01 10:01  search
    cem  2024-05-01 10:00  home
    cem  2024-05-01 10:01  buy
  `,
  query: paths({ minEdgeWeight: 2 }),
  answer: '1_home > 2_search  2  60 s',
});

example('The people who follow an edge, and the people who stop after it', {
  because: 'Both went from home to search; Ben stopped there.',
  events: `
    ann  2024-05-01 10:00  home
    ann  2024-05-01 10:01  search
    ann  2024-05-01 10:02  buy
    ben  2024-05-01 10:00  home
    ben  2024-05-01 10:01  search
  `,
  query: paths({ pathDropoffKey: '2_search' }),
  answer: `
    1_home > 2_search  2  60 s
    2_search > 3_buy  1  60 s
  `,
  behind: [{ point: {}, people: 'ben' }],
});

example('What all people of a group do is one path', {
  because: 'Ann opened the draft and Ben sent it, both for acme.',
  events: `
    ann  2024-05-01 10:00  opened  @acme
    ben  2024-05-01 10:10  sent    @acme
  `,
  query: paths({}, { aggregation_group_type_index: 0 }),
  answer: '1_opened > 2_sent  1  600 s',
  behind: [{ point: {}, people: 'acme' }],
});
