import { useState } from 'preact/hooks';

import { useJobChange } from '../../api/changes.js';
import type { JobAction, JobDetail } from '../../contract.js';
import { ACTIONS } from '../../format/labels.js';
import { Confirm } from '../../dialogs/dialog.js';
import { keepFocus } from '../../components/page.js';
import { PriorityField } from '../../dialogs/priority-field.js';

/** Actions with a dialog, because they need a number or cannot be undone. */
const WITH_DIALOG: ReadonlySet<JobAction> = new Set(['skip', 'cancel', 'priority']);

export function JobActions({ job }: { readonly job: JobDetail }) {
  const [asked, ask] = useState<JobAction | undefined>(undefined);
  const change = useJobChange(job.id);
  return (
    <>
      {job.actions.map((action) => (
        <button
          key={action}
          type="button"
          class={`button ${action === 'retry' || action === 'run-now' ? 'button-main' : ''}`}
          disabled={change.isPending}
          onClick={() =>
            WITH_DIALOG.has(action)
              ? ask(action)
              : change.mutate({ action }, { onSettled: () => requestAnimationFrame(keepFocus) })
          }
        >
          {ACTIONS[action].verb}
        </button>
      ))}
      {asked === 'cancel' && (
        <Confirm
          title={`Cancel this job of ${job.queue}?`}
          verb="Cancel the job"
          isDangerous
          isBusy={change.isPending}
          close={() => ask(undefined)}
          confirm={() => change.mutate({ action: 'cancel' }, { onSettled: () => ask(undefined) })}
        >
          <p>
            {job.state === 'running'
              ? 'Its handler is signalled to stop, and the job ends when the handler does.'
              : 'It will not run. It can be retried later.'}
          </p>
        </Confirm>
      )}
      {asked === 'skip' && (
        <Confirm
          title={`Go on without this job of ${job.queue}?`}
          verb="Skip the job"
          isDangerous
          isBusy={change.isPending}
          close={() => ask(undefined)}
          confirm={() => change.mutate({ action: 'skip' }, { onSettled: () => ask(undefined) })}
        >
          <p>It stays failed, and the next job of its order key runs.</p>
        </Confirm>
      )}
      {asked === 'priority' && <PriorityDialog job={job} change={change} close={() => ask(undefined)} />}
    </>
  );
}

interface PriorityDialogProps {
  readonly job: JobDetail;
  readonly change: ReturnType<typeof useJobChange>;
  readonly close: () => void;
}

function PriorityDialog({ job, change, close }: PriorityDialogProps) {
  const [priority, setPriority] = useState<number | undefined>(job.priority);
  return (
    <Confirm
      title={`Change the priority of ${job.name}`}
      verb="Change priority"
      isBusy={change.isPending}
      isReady={priority !== undefined && priority !== job.priority}
      close={close}
      confirm={() => priority !== undefined && change.mutate({ action: 'priority', priority }, { onSettled: close })}
    >
      <p>{ACTIONS.priority.effect}</p>
      <PriorityField value={priority} change={setPriority} />
    </Confirm>
  );
}
