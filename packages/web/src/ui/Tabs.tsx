import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';

export interface TabsProps<Id extends string> {
  label: string;
  tabs: readonly { id: Id; label: ReactNode; content: () => ReactNode }[];
  selected: Id;
  onSelect: (id: Id) => void;
}

/** Tabs of one screen; which is selected stands in the address. */
export function Tabs<Id extends string>({ label, tabs, selected, onSelect }: TabsProps<Id>) {
  return (
    <AriaTabs selectedKey={selected} onSelectionChange={(key) => onSelect(key as Id)}>
      <TabList aria-label={label} className="scroll-fade flex gap-4 overflow-x-auto border-b border-border">
        {tabs.map(({ id, label: text }) => (
          <Tab
            key={id}
            id={id}
            className="-mb-px flex h-9 shrink-0 cursor-default items-center border-b-2 border-transparent text-13 text-text-2 -outline-offset-2 hover:text-text data-selected:border-accent data-selected:font-medium data-selected:text-text pointer-coarse:h-11"
          >
            {text}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="pt-4 outline-none">
          {content()}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
