import { useQuery } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';

import { useBulkChange } from '../../api/changes.js';
import { RequestError } from '../../api/request-error.js';
import { write } from '../../api/request.js';
import type { BulkPreview, BulkRequest, Count, JobAction, JobFilter } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';
import { databaseNow } from '../../format/times.js';
import { ACTIONS } from '../../format/labels.js';
import { Confirm } from '../../dialogs/dialog.js';
import { notify } from '../../components/notices.js';
import { PriorityField } from '../../dialogs/priority-field.js';
import { ProblemNote } from '../../components/load.js';
import { Since } from '../../components/time.js';

interface BulkDialogProps {
  readonly action: JobAction;
  readonly filter: JobFilter;
  readonly target: BulkRequest['filter'];
  readonly close: () => void;
  readonly done: () => void;
}

/**
 * Shows how many jobs a bulk action affects before it starts. The server counts them: the page knows only its own rows.
 */
export function BulkDialog({ action, filter, target, close, done }: BulkDialogProps) {
  const [priority, setPriority] = useState<number | undefined>(undefined);
  /** The jobs changed so far. Undefined before the first response. */
  const [soFar, setSoFar] = useState<number | undefined>(undefined);
  const bulk = useBulkChange();
  const waiting = useRef({ since: 0, controller: new AbortController() });
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
  const { verb, effect } = ACTIONS[action];
  const confirm = () => {
    waiting.current = { since: databaseNow(), controller: new AbortController() };
    const request = { action, filter: target, ...(priority !== undefined && { priority }) };
    setSoFar(undefined);
    bulk.mutate({ request, signal: waiting.current.controller.signal, onStep: setSoFar }, { onSuccess: done });
  };
  const leave = () => {
    if (!bulk.isPending) {
      close();
      return;
    }
    waiting.current.controller.abort();
    done();
    setTimeout(() => notify('Stopped. Some jobs may have been changed: see Audit.'));
  };
  return (
    <Confirm
      title={titleOf(action, filter, matching)}
      verb={verb}
      {...(bulk.isPending && { closeLabel: 'Stop' })}
      isDangerous={action === 'cancel'}
      isBusy={bulk.isPending}
      isReady={matching !== undefined && !isNothing && (action !== 'priority' || priority !== undefined)}
      close={leave}
      confirm={confirm}
    >
      {bulk.error !== null && <ProblemNote error={bulk.error} retry={confirm} />}
      {bulk.error !== null &&
        (soFar !== undefined || !(bulk.error instanceof RequestError && bulk.error.isClientError)) && (
          <p>
            Some jobs may have been changed, and the server may still be working: see Audit. Try again to do the rest.
          </p>
        )}
      {preview.error !== null && <ProblemNote error={preview.error} retry={preview.refetch} />}
      {matching || preview.error ? <p>{effect}</p> : <p role="status">Counting the jobs that match …</p>}
      {matching?.isCapped && <p>{cappedNote(matching)}</p>}
      {action === 'priority' && <PriorityField value={priority} change={setPriority} />}
      {bulk.isPending && (
        <p>
          The server has been working for <Since at={waiting.current.since} />
          {soFar !== undefined && `: ${formatJobs(soFar)} so far`}.
        </p>
      )}
    </Confirm>
  );
}

function titleOf(action: JobAction, { state, queue }: JobFilter, matching: Count | undefined): string {
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
