import { Share2 } from 'lucide-react';
import { useState } from 'react';
import { useMayCreate } from '../../app/object-level.js';
import { useProjectId } from '../../app/project-context.js';
import { type Experiment, insightOfMetrics, type MetricSelection } from '../../data/experiments.js';
import { ExportMenu } from '../../share/ExportMenu.js';
import { ShareDialog } from '../../share/ShareDialog.js';
import { Button } from '../../ui/Button.js';
import { sentenceOf } from '../../ui/sentence-of.js';
import { toast } from '../../ui/toast.js';

export interface ExperimentInsightMenuProps {
  experiment: Experiment;
  metrics: MetricSelection;
  name: string;
}

/** Shares the results of metrics by a link, and exports them. */
export function ExperimentInsightMenu({ experiment, metrics, name }: ExperimentInsightMenuProps) {
  const project = useProjectId();
  const mayShare = useMayCreate('insight');
  const [shared, setShared] = useState<number | null>(null);
  const [isBusy, setBusy] = useState(false);
  const title = `${experiment.name}: ${name}`;
  const source = { kind: 'ExperimentQuery', experiment_id: experiment.id, ...metrics };
  const share = async () => {
    setBusy(true);
    try {
      setShared(await insightOfMetrics(project, experiment.id, metrics, title));
    } catch (error) {
      toast(`${title} cannot be shared: ${sentenceOf(error)}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="flex gap-2">
      {mayShare && (
        <Button
          isSmall
          aria-label={`Share ${name}`}
          icon={<Share2 size={14} aria-hidden />}
          busyLabel={isBusy ? 'Sharing…' : null}
          onPress={() => void share()}
        >
          Share
        </Button>
      )}
      <ExportMenu isSmall of={{ export_context: { source, filename: title } }} />
      {shared !== null && <ShareDialog shared={{ kind: 'insight', id: shared }} name={title} onClose={() => setShared(null)} />}
    </span>
  );
}
