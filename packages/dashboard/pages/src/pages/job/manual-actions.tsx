import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { useCopy, useDeletion, useManualChange } from '../../api/manual-changes.js';
import { jobPath, pathTo } from '../../components/link.js';
import type { JobDetail } from '../../contract.js';
import { Confirm } from '../../dialogs/dialog.js';
import { JsonField, parseJson } from '../../dialogs/json-field.js';
import { MomentField } from '../../dialogs/moment-field.js';
import { ReasonField, reasonOf } from '../../dialogs/reason-field.js';
import { visibleJson } from '../../format/visible.js';

interface DialogProps {
  readonly job: JobDetail;
  readonly close: () => void;
}

const VERBS = { edit: 'Edit payload', copy: 'Copy job', reschedule: 'Reschedule', delete: 'Delete job' } as const;
const BUTTONS = Object.keys(VERBS) as (keyof typeof VERBS)[];
const DIALOGS = { edit: EditDialog, copy: CopyDialog, reschedule: RescheduleDialog, delete: DeleteDialog };

/** The actions that need more than a click, each with its dialog. */
export function ManualActions({ job }: { readonly job: JobDetail }) {
  const [asked, ask] = useState<keyof typeof VERBS | undefined>(undefined);
  const Asked = asked && DIALOGS[asked];
  return (
    <>
      {BUTTONS.filter((action) => job.manual.includes(action)).map((action) => (
        <button key={action} type="button" class="button" onClick={() => ask(action)}>
          {VERBS[action]}
        </button>
      ))}
      {Asked && <Asked job={job} close={() => ask(undefined)} />}
    </>
  );
}

const textOf = (payload: unknown): string => (payload === null ? '' : visibleJson(JSON.stringify(payload, null, 2)));

function EditDialog({ job, close }: DialogProps) {
  const change = useManualChange(job.id);
  const [text, setText] = useState(textOf(job.payload));
  const [reason, setReason] = useState('');
  const payload = parseJson(text)?.value;
  return (
    <Confirm
      title={`Retry ${job.name} with another payload`}
      verb="Retry with this payload"
      isBusy={change.isPending}
      isReady={payload !== undefined}
      close={close}
      confirm={() => change.mutate({ action: 'edit', payload, ...reasonOf(reason) }, { onSuccess: close })}
    >
      <JsonField label="Payload as JSON" text={text} change={setText} />
      <p class="quiet">Its definition checks it, if the server of this page has the definition.</p>
      <ReasonField value={reason} change={setReason} />
    </Confirm>
  );
}

function CopyDialog({ job, close }: DialogProps) {
  const copy = useCopy(job.id);
  const [, navigate] = useLocation();
  const original = textOf(job.payload);
  const [text, setText] = useState(original);
  const [at, setAt] = useState<number | undefined>(undefined);
  const [reason, setReason] = useState('');
  const isEdited = text !== original;
  const payload = parseJson(text)?.value;
  const confirm = () => {
    copy.mutate(
      { ...(isEdited && { payload }), ...(at !== undefined && { runAt: at }), ...reasonOf(reason) },
      {
        onSuccess: ({ id }) => {
          close();
          navigate(jobPath(id));
        },
      },
    );
  };
  return (
    <Confirm
      title={`Copy ${job.name}`}
      verb="Enqueue the copy"
      isBusy={copy.isPending}
      isReady={!isEdited || payload !== undefined}
      close={close}
      confirm={confirm}
    >
      {job.manual.includes('edit-copy') ? (
        <JsonField label="Payload as JSON" text={text} change={setText} />
      ) : (
        <p class="quiet">The copy gets the same payload, which is not shown completely here.</p>
      )}
      <MomentField label="Run at; empty for now" at={at} change={setAt} />
      <ReasonField value={reason} change={setReason} />
    </Confirm>
  );
}

function RescheduleDialog({ job, close }: DialogProps) {
  const change = useManualChange(job.id);
  const [at, setAt] = useState<number | undefined>(job.runAt);
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title={`Reschedule ${job.name}`}
      verb="Reschedule"
      isBusy={change.isPending}
      isReady={at !== undefined && at !== job.runAt}
      close={close}
      confirm={() =>
        at !== undefined &&
        change.mutate({ action: 'reschedule', runAt: at, ...reasonOf(reason) }, { onSuccess: close })
      }
    >
      <MomentField label="Run at" at={at} change={setAt} />
      <ReasonField value={reason} change={setReason} />
    </Confirm>
  );
}

function DeleteDialog({ job, close }: DialogProps) {
  const deletion = useDeletion(job.id);
  const [, navigate] = useLocation();
  const [reason, setReason] = useState('');
  return (
    <Confirm
      title={`Delete this job of ${job.queue}?`}
      verb="Delete the job"
      isDangerous
      isBusy={deletion.isPending}
      close={close}
      confirm={() =>
        deletion.mutate(reasonOf(reason), {
          onSuccess: () => {
            close();
            navigate(pathTo('/jobs', { state: job.state, queue: job.queue }));
          },
        })
      }
    >
      <p>It is gone for good, with its payload, result, errors and log.</p>
      <ReasonField value={reason} change={setReason} />
    </Confirm>
  );
}
