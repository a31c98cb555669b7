import { AddressList } from './AddressList.js';
import { useSettings } from './rows.js';
import { Reason, Section, SettingsPage } from './SettingsPage.js';

/** The sites and apps that belong to the project. */
export function AddressesScreen() {
  const { settings, refusal, set } = useSettings();
  return (
    <SettingsPage title="Addresses">
      {refusal && <Reason>{refusal}</Reason>}
      <Section
        title="Sites of this project"
        lead="They tell people and tools where the project is in use. Events of other sites are stored as well: the project key is public."
      >
        <AddressList
          what="address"
          isReadOnly={refusal !== null}
          addresses={settings.app_urls}
          onChange={(app_urls) => set({ app_urls })}
        />
      </Section>
    </SettingsPage>
  );
}
