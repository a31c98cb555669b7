import { Form } from '../../ui/Form.js';
import { TextField } from '../../ui/TextField.js';
import { toast } from '../../ui/toast.js';
import { AddressList } from './AddressList.js';
import { RetentionRow } from './RetentionRow.js';
import { ChoiceRow, Rows, SwitchRow, useSettings } from './rows.js';
import { Reason, Section, SettingsPage } from './SettingsPage.js';

const RATES = ['1', '0.5', '0.25', '0.1', '0.05', '0.01'];
const MINIMA = [0, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** The value that stands in the settings stays among the options, even if this list does not have it. */
const withCurrent = <Value,>(values: readonly Value[], current: Value): Value[] => [...new Set([...values, current])];

/** Whether sessions are recorded, which ones, and what recordings hide. */
export function RecordingScreen() {
  const { settings, refusal, set, change } = useSettings();
  const isReadOnly = refusal !== null;
  const rate = settings.session_recording_sample_rate ?? '1';
  const minimum = settings.session_recording_minimum_duration_milliseconds ?? 0;
  const masking = settings.session_recording_masking_config ?? {};
  const selector = (name: string): string => {
    const value = masking[name];
    return typeof value === 'string' ? value : '';
  };
  return (
    <SettingsPage title="Recording">
      {refusal && <Reason>{refusal}</Reason>}
      <Section title="Record sessions" lead="Pages learn of a change when they load next.">
        <Rows>
          <SwitchRow
            label="Record"
            help="What people see and do in pages that have the recorder."
            isReadOnly={isReadOnly}
            isOn={settings.session_recording_opt_in}
            onChange={(session_recording_opt_in) => set({ session_recording_opt_in })}
          />
          <ChoiceRow
            label="Share of sessions"
            help="The sessions are picked at random."
            isReadOnly={isReadOnly}
            isLong
            options={withCurrent(RATES, rate).map((value) => ({ value, label: `${Number(value) * 100}%` }))}
            value={rate}
            onChange={(value) => set({ session_recording_sample_rate: value === '1' ? null : value })}
          />
          <ChoiceRow
            label="Shortest session"
            help="Shorter sessions are not stored."
            isReadOnly={isReadOnly}
            isLong
            options={withCurrent(MINIMA, minimum).map((ms) => ({
              value: String(ms),
              label: ms === 0 ? 'No minimum' : `${ms / 1_000} s`,
            }))}
            value={String(minimum)}
            onChange={(ms) => set({ session_recording_minimum_duration_milliseconds: Number(ms) || null })}
          />
          <RetentionRow kind="recordings" />
        </Rows>
      </Section>
      <Section title="What recordings have">
        <Rows>
          <SwitchRow
            label="Console"
            help="What pages write to the console of the browser."
            isReadOnly={isReadOnly}
            isOn={settings.capture_console_log_opt_in === true}
            onChange={(capture_console_log_opt_in) => set({ capture_console_log_opt_in })}
          />
          <SwitchRow
            label="Network"
            help="Addresses and times of requests of the page, without their content."
            isReadOnly={isReadOnly}
            isOn={settings.capture_performance_opt_in === true}
            onChange={(capture_performance_opt_in) => set({ capture_performance_opt_in })}
          />
          <SwitchRow
            label="Mask inputs"
            help="What people type is recorded as asterisks. Passwords always are."
            isReadOnly={isReadOnly}
            isOn={masking['maskAllInputs'] !== false}
            onChange={(maskAllInputs) => set({ session_recording_masking_config: { ...masking, maskAllInputs } })}
          />
        </Rows>
        {!isReadOnly && (
          <Form
            className="mt-6"
            fields={[]}
            submit="Save selectors"
            submitting="Saving…"
            onSubmit={async ({ maskTextSelector = '', blockSelector = '' }) => {
              const { maskTextSelector: _text, blockSelector: _block, ...rest } = masking;
              const own = { ...(maskTextSelector && { maskTextSelector }), ...(blockSelector && { blockSelector }) };
              await change({ session_recording_masking_config: { ...rest, ...own } });
              toast('The selectors are saved.');
            }}
          >
            <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
              <TextField
                name="maskTextSelector"
                label="Mask text in"
                help="A CSS selector, if you like, such as .salary"
                isMono
                defaultValue={selector('maskTextSelector')}
              />
              <TextField
                name="blockSelector"
                label="Leave out"
                help="Elements of this selector become grey boxes"
                isMono
                defaultValue={selector('blockSelector')}
              />
            </div>
          </Form>
        )}
      </Section>
      <Section title="Only on these sites" lead="Without an entry, sessions of all sites are recorded.">
        <AddressList
          what="site"
          isReadOnly={isReadOnly}
          addresses={settings.recording_domains ?? []}
          onChange={(addresses) => set({ recording_domains: addresses.length > 0 ? addresses : null })}
        />
      </Section>
    </SettingsPage>
  );
}
