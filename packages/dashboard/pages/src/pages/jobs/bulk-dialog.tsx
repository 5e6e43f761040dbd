import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';

import { useBulkStart } from '../../api/changes.js';
import { RequestError } from '../../api/request-error.js';
import { write } from '../../api/request.js';
import type { BulkAction, BulkPreview, BulkRequest, Count, JobFilter } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';
import { ACTIONS } from '../../format/labels.js';
import { Confirm } from '../../dialogs/dialog.js';
import { PriorityField } from '../../dialogs/priority-field.js';
import { ProblemNote } from '../../components/load.js';

interface BulkDialogProps {
  readonly action: BulkAction;
  readonly filter: JobFilter;
  readonly target: BulkRequest['filter'];
  readonly close: () => void;
  readonly done: () => void;
}

/**
 * Shows how many jobs a bulk operation affects before it starts. The server counts them: the page knows only its own
 * rows.
 */
export function BulkDialog({ action, filter, target, close, done }: BulkDialogProps) {
  const [priority, setPriority] = useState<number | undefined>(undefined);
  const [to, setTo] = useState('');
  const bulk = useBulkStart();
  // The number of individually selected jobs is known. Only the server knows how many match a filter.
  const known = 'ids' in target ? { count: target.ids.length, isCapped: false } : undefined;
  const preview = useQuery({
    enabled: known === undefined,
    queryKey: ['preview', action, target],
    queryFn: ({ signal }) => write<BulkPreview>('POST', 'jobs/preview', { action, filter: target }, signal),
    gcTime: 0,
  });
  const matching = known ?? preview.data?.matching;
  const isNothing = matching?.count === 0 && !matching.isCapped;
  const isComplete = (action !== 'priority' || priority !== undefined) && (action !== 'move' || to !== '');
  const { verb, effect } = ACTIONS[action];
  const confirm = () => {
    const extra = { ...(priority !== undefined && { priority }), ...(to !== '' && { to }) };
    bulk.mutate({ action, filter: target, ...extra }, { onSuccess: done });
  };
  return (
    <Confirm
      title={titleOf(action, filter, matching)}
      verb={verb}
      isDangerous={action === 'cancel' || action === 'delete'}
      isBusy={bulk.isPending}
      isReady={matching !== undefined && !isNothing && isComplete}
      close={bulk.isPending ? done : close}
      confirm={confirm}
    >
      {bulk.error !== null && <ProblemNote error={bulk.error} retry={confirm} />}
      {bulk.error !== null && !(bulk.error instanceof RequestError && bulk.error.isClientError) && (
        <p>It may have started all the same: see the list of jobs, or Audit.</p>
      )}
      {preview.error !== null && <ProblemNote error={preview.error} retry={preview.refetch} />}
      {matching || preview.error ? <p>{effect}</p> : <p role="status">Counting the jobs that match …</p>}
      {matching?.isCapped && <p>{cappedNote(matching)}</p>}
      {action === 'priority' && <PriorityField value={priority} change={setPriority} />}
      {action === 'move' && (
        <label class="field">
          <span>New queue</span>
          <input required value={to} onInput={({ currentTarget }) => setTo(currentTarget.value)} />
        </label>
      )}
    </Confirm>
  );
}

function titleOf(action: BulkAction, { state, queue }: JobFilter, matching: Count | undefined): string {
  const verb = `${ACTIONS[action].verb}${action === 'priority' ? ' of' : ''}`;
  const ofQueue = queue ? ` of ${queue}` : '';
  if (!matching) {
    return `${ACTIONS[action].verb} …`;
  }
  const { count, isCapped } = matching;
  if (count === 0) {
    return isCapped ? `${verb} all ${state} jobs${ofQueue} that match?` : 'No job matches any more';
  }
  return `${verb} ${isCapped ? 'at least ' : ''}${formatJobs(count, state)}${ofQueue}?`;
}

/** Counting stops at a limit of matches, or of jobs read. */
const cappedNote = ({ count }: Count): string =>
  count > 0
    ? 'Counting stopped there. The action applies to all jobs that match.'
    : 'Counting stopped before a match was found. The action applies to all jobs that match, and may take long.';
