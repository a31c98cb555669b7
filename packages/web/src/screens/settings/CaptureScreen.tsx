import { Rows, SwitchRow, useSettings } from './rows.js';
import { Reason, Section, SettingsPage } from './SettingsPage.js';

/** What SDKs capture by themselves. */
export function CaptureScreen() {
  const { settings, refusal, set } = useSettings();
  const isReadOnly = refusal !== null;
  return (
    <SettingsPage title="Capture">
      {refusal && <Reason>{refusal}</Reason>}
      <Section
        title="What pages send by themselves"
        lead="Pages learn of a change when they load next. What the code of a page decides itself comes before these settings."
      >
        <Rows>
          <SwitchRow
            label="Clicks and inputs"
            help="Clicks, submitted forms and changed inputs, as $autocapture. The text of inputs is not sent."
            isReadOnly={isReadOnly}
            isOn={settings.autocapture_opt_out !== true}
            onChange={(isOn) => set({ autocapture_opt_out: !isOn })}
          />
          <SwitchRow
            label="Heat maps"
            help="Where people click, move and scroll. Only posthog-js sends it."
            isReadOnly={isReadOnly}
            isOn={settings.heatmaps_opt_in === true}
            onChange={(heatmaps_opt_in) => set({ heatmaps_opt_in })}
          />
          <SwitchRow
            label="Dead clicks"
            help="Clicks after which nothing happened."
            isReadOnly={isReadOnly}
            isOn={settings.capture_dead_clicks === true}
            onChange={(capture_dead_clicks) => set({ capture_dead_clicks })}
          />
          <SwitchRow
            label="Errors"
            help="Uncaught errors with their stack, as $exception."
            isReadOnly={isReadOnly}
            isOn={settings.autocapture_exceptions_opt_in === true}
            onChange={(autocapture_exceptions_opt_in) => set({ autocapture_exceptions_opt_in })}
          />
          <SwitchRow
            label="Web vitals"
            help="How fast pages load and answer, as $web_vitals."
            isReadOnly={isReadOnly}
            isOn={settings.autocapture_web_vitals_opt_in === true}
            onChange={(autocapture_web_vitals_opt_in) => set({ autocapture_web_vitals_opt_in })}
          />
        </Rows>
      </Section>
      <Section title="Surveys">
        <Rows>
          <SwitchRow
            label="Show surveys"
            help="Running surveys appear in pages and apps. Off: none does, whatever its own state."
            isReadOnly={isReadOnly}
            isOn={settings.surveys_opt_in !== false}
            onChange={(surveys_opt_in) => set({ surveys_opt_in })}
          />
        </Rows>
      </Section>
      <Section title="Privacy">
        <Rows>
          <SwitchRow
            label="Throw IP addresses away"
            help="Events are stored without the address that they come from. Events of the past keep theirs."
            isReadOnly={isReadOnly}
            isOn={settings.anonymize_ips}
            onChange={(anonymize_ips) => set({ anonymize_ips })}
          />
          <SwitchRow
            label="Count visitors without cookies"
            help="For pages with cookieless_mode, which store nothing on the device: the server counts a visitor by an id of the day, which nobody can compute after it. Somebody who comes back on another day counts as new. Off: posthog-js is not counted in this mode."
            isReadOnly={isReadOnly}
            isOn={settings.cookieless_server_hash_mode === 1}
            onChange={(isOn) => set({ cookieless_server_hash_mode: isOn ? 1 : 0 })}
          />
        </Rows>
      </Section>
    </SettingsPage>
  );
}
