import { useQuery } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';

import { useBulkChange } from '../../api/changes.js';
import { RequestError } from '../../api/request-error.js';
import { write } from '../../api/request.js';
import type { BulkPreview, BulkRequest, Count, JobAction, JobFilter } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';
import { databaseNow } from '../../format/times.js';
import { ACTIONS } from '../../format/words.js';
import { Confirm } from '../../parts/dialog.js';
import { tell } from '../../parts/notices.js';
import { PriorityField } from '../../parts/priority-field.js';
import { ProblemNote } from '../../parts/states.js';
import { Since } from '../../parts/time.js';

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
  /** How many were changed by the steps that are done; undefined before the first. */
  const [soFar, setSoFar] = useState<number | undefined>(undefined);
  const bulk = useBulkChange();
  const waiting = useRef({ since: 0, controller: new AbortController() });
  // Those that are selected one by one are known; of all that match only the server knows how many there are.
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
    setTimeout(() => tell('Stopped. Part of it may be done: see Audit.'));
  };
  return (
    <Confirm
      title={titleOf(action, filter, matching)}
      verb={verb}
      {...(bulk.isPending && { leave: 'Stop' })}
      isDangerous={action === 'cancel'}
      isBusy={bulk.isPending}
      isReady={matching !== undefined && !isNothing && (action !== 'priority' || priority !== undefined)}
      close={leave}
      confirm={confirm}
    >
      {bulk.error !== null && <ProblemNote error={bulk.error} retry={confirm} />}
      {bulk.error !== null &&
        (soFar !== undefined || !(bulk.error instanceof RequestError && bulk.error.isRefusal)) && (
          <p>
            Part of it may be done, and the server may still be at it: see Audit. Whoever tries again does the rest.
          </p>
        )}
      {preview.error !== null && <ProblemNote error={preview.error} retry={preview.refetch} />}
      {matching || preview.error ? <p>{effect}</p> : <p role="status">Counting the jobs that match …</p>}
      {matching?.isCapped && <p>{meantBy(matching)}</p>}
      {action === 'priority' && <PriorityField value={priority} change={setPriority} />}
      {bulk.isPending && (
        <p>
          The server has been at it for <Since at={waiting.current.since} />
          {soFar !== undefined && `: ${formatJobs(soFar)} so far`}.
        </p>
      )}
    </Confirm>
  );
}

function titleOf(action: JobAction, { state, queue }: JobFilter, matching: Count | undefined): string {
  const verb = `${ACTIONS[action].verb}${action === 'priority' ? ' of' : ''}`;
  const place = queue ? ` of ${queue}` : '';
  if (!matching) {
    return `${ACTIONS[action].verb} …`;
  }
  const { count, isCapped } = matching;
  if (count === 0) {
    return isCapped ? `${verb} all ${state} jobs${place} that match?` : 'No job matches any more';
  }
  return `${verb} ${isCapped ? 'at least ' : ''}${formatJobs(count, state)}${place}?`;
}

/** Counting ends at a number, or when many jobs were looked at. */
const meantBy = ({ count }: Count): string =>
  count > 0
    ? 'Counting stopped there; all that match are meant.'
    : 'None was found among those that were looked at, and there are more. All that match are meant: looking for them may take long.';
