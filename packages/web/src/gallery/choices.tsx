import { Checkbox } from '../ui/Checkbox.js';
import { ChoiceCards } from '../ui/ChoiceCards.js';
import { Segmented } from '../ui/Segmented.js';
import { Select } from '../ui/Select.js';
import { Slider } from '../ui/Slider.js';
import { Switch } from '../ui/Switch.js';
import { LONG, State, UNBROKEN, Value } from './State.js';

const INTERVALS = ['Minute', 'Hour', 'Day', 'Week', 'Month'].map((label) => ({ value: label.toLowerCase(), label }));
const COUNTRIES = ['Denmark', 'France', 'Germany', 'Japan', 'Netherlands', 'Norway', 'Spain', 'Sweden', UNBROKEN].map(
  (label) => ({ value: label, label }),
);

export const choices = {
  Checkbox: () => (
    <>
      <State is="at rest, isSelected, isIndeterminate">
        <div className="row">
          <Checkbox>Denmark</Checkbox>
          <Checkbox defaultSelected>France</Checkbox>
          <Checkbox isIndeterminate>Europe</Checkbox>
        </div>
      </State>
      <State is="isDisabled">
        <div className="row">
          <Checkbox isDisabled>Denmark</Checkbox>
          <Checkbox isDisabled defaultSelected>
            France
          </Checkbox>
        </div>
      </State>
      <State is="a long text">
        <div className="field">
          <Checkbox>{LONG}</Checkbox>
        </div>
      </State>
    </>
  ),
  Switch: () => (
    <>
      <State is="off, isSelected, isDisabled, aria-label alone">
        <div className="row">
          <Switch>Recording</Switch>
          <Switch defaultSelected>Autocapture</Switch>
          <Switch isDisabled>Surveys</Switch>
          <Switch isDisabled defaultSelected>
            Flags
          </Switch>
          <Switch aria-label="Release the flag" />
        </div>
      </State>
      <State is="a long text">
        <div className="field">
          <Switch>{LONG}</Switch>
        </div>
      </State>
    </>
  ),
  Segmented: () => (
    <>
      <State is="five options">
        <Value of="day">{(value, set) => <Segmented label="Interval" options={INTERVALS} value={value} onChange={set} />}</Value>
      </State>
      <State is="isDisabled">
        <Segmented label="Closed interval" options={INTERVALS} value="week" onChange={() => {}} isDisabled />
      </State>
      <State is="wider than its place">
        <div className="field">
          <Value of="Spain">
            {(value, set) => <Segmented label="Country" options={COUNTRIES} value={value} onChange={set} />}
          </Value>
        </div>
      </State>
    </>
  ),
  Select: () => (
    <>
      {[
        { is: 'at rest', label: 'Country' },
        { is: 'help', label: 'Country of the office', help: 'Holidays are those of this country.' },
        { is: 'error', label: 'Country of the bank', error: 'Payments from there are not possible.' },
        { is: 'isSmall, hideLabel', label: 'Country of the filter', isSmall: true, hideLabel: true },
        { is: 'isDisabled', label: 'Country of birth', isDisabled: true },
      ].map(({ is, ...props }) => (
        <State key={is} is={is}>
          <div className="field">
            <Value of="Spain">{(value, set) => <Select {...props} options={COUNTRIES} value={value} onChange={set} />}</Value>
          </div>
        </State>
      ))}
      <State is="a long value">
        <div className="field">
          <Select label="Property" options={COUNTRIES} value={UNBROKEN} onChange={() => {}} />
        </div>
      </State>
    </>
  ),
  Slider: () => (
    <>
      {[0, 30, 100].map((percent) => (
        <State key={percent} is={`value: ${percent}`}>
          <div className="field row">
            <Value of={percent}>{(value, set) => <Slider label={`Rollout of ${percent}`} value={value} onChange={set} />}</Value>
          </div>
        </State>
      ))}
      <State is="isDisabled">
        <div className="field row">
          <Slider label="Closed rollout" value={60} onChange={() => {}} isDisabled />
        </div>
      </State>
    </>
  ),
  ChoiceCards: () => (
    <State is="options with a sentence each">
      <Value of="url">
        {(value, set) => (
          <ChoiceCards
            label="Where it appears"
            options={[
              { value: 'all', label: 'On every page', about: 'To everybody who visits.' },
              { value: 'url', label: 'On some pages', about: LONG },
              { value: 'api', label: 'By a call', about: <code>{UNBROKEN}</code> },
            ]}
            value={value}
            onChange={set}
          />
        )}
      </Value>
    </State>
  ),
};
