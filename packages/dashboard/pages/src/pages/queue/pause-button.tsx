import { useState } from 'preact/hooks';

import { useQueueChange } from '../../api/changes.js';
import type { QueueRow } from '../../contract.js';
import { Icon } from '../../components/icon.js';
import { Confirm } from '../../dialogs/dialog.js';
import { ReasonField, reasonOf } from '../../dialogs/reason-field.js';

/** Resumes a queue at once, and asks for a reason before it pauses one: others wonder why its jobs wait. */
export function PauseButton({ row: { queue, pausedAt } }: { readonly row: QueueRow }) {
  const { pausing } = useQueueChange();
  const [isAsked, ask] = useState(false);
  const [reason, setReason] = useState('');
  const isPaused = pausedAt !== null;
  const pause = () => {
    pausing.mutate(
      { queue, pause: true, ...reasonOf(reason) },
      {
        onSuccess: () => setReason(''),
        onSettled: () => ask(false),
      },
    );
  };
  return (
    <>
      <button
        type="button"
        class="button"
        disabled={pausing.isPending}
        onClick={() => (isPaused ? pausing.mutate({ queue, pause: false }) : ask(true))}
      >
        <Icon name={isPaused ? 'play' : 'pause'} />
        {isPaused ? 'Resume' : 'Pause'}
      </button>
      {isAsked && (
        <Confirm
          title={`Pause ${queue} on all workers?`}
          verb="Pause"
          closeLabel="Let it run"
          isBusy={pausing.isPending}
          close={() => ask(false)}
          confirm={pause}
        >
          <p>Running jobs finish, and no other starts until someone resumes the queue. New jobs can still be added.</p>
          <ReasonField value={reason} change={setReason} />
        </Confirm>
      )}
    </>
  );
}
