import { useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useMayCreate } from '../app/object-level.js';
import { useProjectId } from '../app/project-context.js';
import { createExport, type ExportFields, exportContent, FORMATS, waitForExport } from '../data/exports.js';
import { Button } from '../ui/Button.js';
import { Menu, MenuRow } from '../ui/Menu.js';
import { toast } from '../ui/toast.js';

/** Makes a file of a dashboard, an insight or a query, and downloads it when it is ready. Only who may make exports sees it. */
export function ExportMenu({ of, isSmall = false }: { of: Omit<ExportFields, 'export_format'>; isSmall?: boolean }) {
  const project = useProjectId();
  const queries = useQueryClient();
  const mayExport = useMayCreate('export');
  const [isBusy, setBusy] = useState(false);
  async function run(format: (typeof FORMATS)[number]['format'], label: string): Promise<void> {
    setBusy(true);
    try {
      const { id } = await createExport(project, { ...of, export_format: format });
      const made = await waitForExport(project, id);
      if (made.warning) toast(made.warning);
      location.assign(exportContent(project, id));
    } catch (error) {
      toast(`The ${label} could not be made: ${error instanceof Error ? error.message : error}`);
    } finally {
      setBusy(false);
      void queries.invalidateQueries({ queryKey: ['project', project, 'exports'] });
    }
  }
  if (!mayExport) return null;
  return (
    <Menu
      label="Export"
      trigger={
        <Button isSmall={isSmall} icon={<Download size={14} aria-hidden />} busyLabel={isBusy ? 'Exporting…' : null}>
          Export
        </Button>
      }
    >
      {FORMATS.map(({ format, label }) => (
        <MenuRow key={format} onAction={() => void run(format, label)}>
          {label}
        </MenuRow>
      ))}
    </Menu>
  );
}
