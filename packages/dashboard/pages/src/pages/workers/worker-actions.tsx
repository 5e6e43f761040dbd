import { useState } from 'preact/hooks';

import { type WorkerChange, useWorkerChange } from '../../api/changes.js';
import type { WorkerRow } from '../../contract.js';
import { now } from '../../format/times.js';
import { Confirm } from '../../dialogs/dialog.js';

/** The buttons that quiet, resume and stop a worker. One that is ending has none. */
export function WorkerActions({ worker }: { readonly worker: WorkerRow }) {
  const { mutate, isPending } = useWorkerChange();
  const [isAsked, ask] = useState(false);
  const { id, host, pid, state, request, leaseEndsAt } = worker;
  if (state === 'stopping' || request?.action === 'stop' || leaseEndsAt <= now.value) {
    return null;
  }
  const name = `${host}, pid ${pid}`;
  const change: WorkerChange = request === null ? 'quiet' : 'resume';
  const label = change === 'quiet' ? 'Quiet' : 'Resume';
  return (
    <div class="card-actions">
      <button
        type="button"
        class="button button-small"
        aria-label={`${label}: ${name}`}
        title={change === 'quiet' ? 'It claims no more jobs until you resume it.' : 'It claims jobs again.'}
        disabled={isPending}
        onClick={() => mutate({ id, name, change })}
      >
        {label}
      </button>
      <button
        type="button"
        class="button button-small"
        aria-label={`Stop: ${name}`}
        disabled={isPending}
        onClick={() => ask(true)}
      >
        Stop
      </button>
      {isAsked && (
        <Confirm
          title={`Stop the worker of ${name}?`}
          verb="Stop"
          closeLabel="Let it run"
          isDangerous
          isBusy={isPending}
          close={() => ask(false)}
          confirm={() => mutate({ id, name, change: 'stop' }, { onSettled: () => ask(false) })}
        >
          <p>It claims no more jobs, finishes those that it has, and ends. Its process goes on without it.</p>
          <p>Only a restart of the process starts a worker there again.</p>
        </Confirm>
      )}
    </div>
  );
}
