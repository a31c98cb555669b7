import {
  type ClientInternals,
  surveys as clientSurveys,
  type OpenSurvey,
  type Surveys,
  type SurveysOptions,
} from '@tidemark/client';
import { watchHistory } from '../pages/watch-history.js';
import { whenIdle } from '../when-idle.js';
import type { SurveyLabels } from './widget/labels.js';

/** How surveys are shown on pages. */
export interface PageSurveysOptions extends Partial<SurveysOptions> {
  /** Words of the built-in widget that are not part of a survey, such as the name of its close button. */
  labels?: Partial<SurveyLabels>;
}

/**
 * Shows the project's surveys to visitors: those of type `popover` in the built-in widget, which is loaded when the first one is due. With
 * `display`, the page has the interface, and gets surveys of all types. A visitor who has answered or dismissed a survey does not see it again.
 * @example
 * init('tmk_…', { features: [surveys()] });
 */
export function surveys({ display, labels, ...options }: PageSurveysOptions = {}): Surveys {
  const hasElement = (selector: string) => document.querySelector(selector) !== null;
  if (display) return clientSurveys({ display, ...options }, { hasElement });

  let internals: ClientInternals | undefined;
  let widget: typeof import('./widget/widget.js') | undefined;
  let close: undefined | (() => void);
  /** Resolves when the last widget is gone: its thank-you message stays after the survey is over. */
  let gone: Promise<void> | undefined;
  const show = (open: OpenSurvey) => {
    if (!internals) return;
    const { guard, platform } = internals;
    gone = new Promise((resolve) => {
      close = widget?.showSurvey(open, { labels, guard, timers: platform.timers, onRemoved: resolve });
    });
  };
  const feature = clientSurveys(
    { display: show, ...options },
    {
      hasElement,
      displays: (type) => type === 'popover',
      hide: () => close?.(),
      async prepare({ appearance }) {
        await gone;
        const seconds = Number(appearance?.['surveyPopupDelaySeconds']) || 0;
        if (seconds > 0) await new Promise<void>((resolve) => internals?.platform.timers.set(resolve, seconds * 1000));
        try {
          await new Promise<void>((resolve) => whenIdle(resolve));
          widget ??= await import('./widget/widget.js');
        } catch (error) {
          internals?.log.warn('surveys: the file of the widget could not be loaded; is it served?', error);
        }
        return widget !== undefined;
      },
    },
  );
  return {
    ...feature,
    setup(client, given) {
      internals = given;
      const end = feature.setup(client, given);
      // also where changes of the address are no page views
      const watching = watchHistory(() => given.guard(feature.check));
      return () => {
        void watching.then((stop) => stop());
        close?.();
        end?.();
      };
    },
  };
}
