import { ChartArea, ChartBar, ChartColumn, ChartLine, ChartPie, Globe, Hash, type LucideIcon, Table } from 'lucide-react';
import type { Question } from '../query/question.js';
import { Segmented } from '../ui/Segmented.js';

const DISPLAYS: readonly { value: string; label: string; icon: LucideIcon }[] = [
  { value: 'ActionsLineGraph', label: 'Lines', icon: ChartLine },
  { value: 'ActionsAreaGraph', label: 'Areas', icon: ChartArea },
  { value: 'ActionsBar', label: 'Bars', icon: ChartColumn },
  { value: 'ActionsBarValue', label: 'Ranking', icon: ChartBar },
  { value: 'ActionsPie', label: 'Shares', icon: ChartPie },
  { value: 'BoldNumber', label: 'Number', icon: Hash },
  { value: 'WorldMap', label: 'World map', icon: Globe },
  { value: 'ActionsTable', label: 'Table', icon: Table },
];

/** How a trend is drawn. A world map breaks down by country. */
export const DisplayPicker = ({ question, onChange }: { question: Question; onChange: (question: Question) => void }) => (
  <Segmented
    label="Shown as"
    options={DISPLAYS.map(({ value, label, icon: Icon }) => ({
      value,
      label: (
        <span title={label}>
          <Icon size={16} aria-hidden />
          <span className="sr-only">{label}</span>
        </span>
      ),
    }))}
    value={String(question.trendsFilter?.['display'] ?? 'ActionsLineGraph')}
    onChange={(display) =>
      onChange({
        ...question,
        trendsFilter: { ...question.trendsFilter, display },
        ...(display === 'WorldMap' && { breakdownFilter: { breakdowns: [{ property: '$geoip_country_code', type: 'event' }] } }),
      })
    }
  />
);
