import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';

import { useBulkChange } from '../../api/changes.js';
import { write } from '../../api/request.js';
import type { BulkPreview, BulkRequest, JobAction, JobFilter } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';
import { ACTIONS } from '../../format/words.js';
import { Confirm } from '../../parts/dialog.js';
import { PriorityField } from '../../parts/priority-field.js';
import { ProblemNote } from '../../parts/states.js';

interface BulkDialogProps {
  readonly action: JobAction;
  readonly filter: JobFilter;
  readonly target: BulkRequest['filter'];
  readonly close: () => void;
  readonly done: () => void;
}

/** Says how many it will be before anything is done: the server counts, for the page knows only what it shows. */
export function BulkDialog({ action, filter, target, close, done }: BulkDialogProps) {
  const [priority, setPriority] = useState<number | undefined>(undefined);
  const bulk = useBulkChange();
  // Those that are selected one by one are known; of all that match only the server knows how many there are.
  const known = 'ids' in target ? { count: target.ids.length, isCapped: false } : undefined;
  const preview = useQuery({
    enabled: known === undefined,
    queryKey: ['preview', action, target],
    queryFn: () => write<BulkPreview>('POST', 'jobs/preview', { action, filter: target }),
    gcTime: 0,
  });
  const matching = known ?? preview.data?.matching;
  const isNothing = matching?.count === 0;
  const { verb, effect } = ACTIONS[action];
  const title = matching
    ? isNothing
      ? 'No job matches any more'
      : `${verb}${action === 'priority' ? ' of' : ''} ${formatJobs(matching, filter.state)}${filter.queue ? ` of ${filter.queue}` : ''}?`
    : `${verb} …`;
  const confirm = () =>
    bulk.mutate({ action, filter: target, ...(priority !== undefined && { priority }) }, { onSuccess: done });
  return (
    <Confirm
      title={title}
      verb={verb}
      isDangerous={action === 'cancel'}
      isBusy={bulk.isPending}
      isReady={matching !== undefined && !isNothing && (action !== 'priority' || priority !== undefined)}
      close={close}
      confirm={confirm}
    >
      {bulk.error !== null && <ProblemNote error={bulk.error} retry={confirm} />}
      {preview.error !== null && <ProblemNote error={preview.error} retry={preview.refetch} />}
      {matching || preview.error ? <p>{effect}</p> : <p role="status">Counting the jobs that match …</p>}
      {matching?.isCapped && <p>Counting stopped there; all that match are meant.</p>}
      {action === 'priority' && <PriorityField value={priority} change={setPriority} />}
    </Confirm>
  );
}
