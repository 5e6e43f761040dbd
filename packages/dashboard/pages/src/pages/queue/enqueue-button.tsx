import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { useEnqueue } from '../../api/manual-changes.js';
import { useMe } from '../../api/queries.js';
import { jobPath } from '../../components/link.js';
import { Confirm } from '../../dialogs/dialog.js';
import { JsonField, parseJson } from '../../dialogs/json-field.js';
import { MomentField } from '../../dialogs/moment-field.js';
import { PriorityField } from '../../dialogs/priority-field.js';
import { ReasonField, reasonOf } from '../../dialogs/reason-field.js';

/** Enqueues a job by hand. */
export function EnqueueButton({ queue }: { readonly queue: string }) {
  const [isAsked, ask] = useState(false);
  if (!useMe().data?.maySetPayloads) {
    return null;
  }
  return (
    <>
      <button type="button" class="button" onClick={() => ask(true)}>
        Enqueue a job
      </button>
      {isAsked && <EnqueueDialog queue={queue} close={() => ask(false)} />}
    </>
  );
}

function EnqueueDialog({ queue, close }: { readonly queue: string; readonly close: () => void }) {
  const enqueue = useEnqueue();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const [key, setKey] = useState('');
  const [priority, setPriority] = useState<number | undefined>(0);
  const [at, setAt] = useState<number | undefined>(undefined);
  const [reason, setReason] = useState('');
  const payload = parseJson(text);
  const confirm = () =>
    enqueue.mutate(
      {
        queue,
        name: name.trim(),
        ...(payload && 'value' in payload && { payload: payload.value }),
        ...(key !== '' && { key }),
        ...(priority !== undefined && { priority }),
        ...(at !== undefined && { runAt: at }),
        ...reasonOf(reason),
      },
      {
        onSuccess: ({ id }) => {
          close();
          navigate(jobPath(id));
        },
      },
    );
  return (
    <Confirm
      title={`Enqueue a job in ${queue}`}
      verb="Enqueue"
      closeLabel="Enqueue nothing"
      isBusy={enqueue.isPending}
      isReady={name.trim() !== '' && payload !== undefined && priority !== undefined}
      close={close}
      confirm={confirm}
    >
      <TextField label="Name of the definition" most={128} value={name} change={setName} />
      <JsonField label="Payload as JSON; empty for none" rows={5} text={text} change={setText} />
      <TextField label="Key; may be empty" most={191} value={key} change={setKey} />
      <PriorityField value={priority} change={setPriority} />
      <MomentField label="Run at; empty for now" at={at} change={setAt} />
      <ReasonField value={reason} change={setReason} />
    </Confirm>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly most: number;
  readonly value: string;
  readonly change: (value: string) => void;
}

const TextField = ({ label, most, value, change }: TextFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      type="text"
      maxLength={most}
      autoComplete="off"
      value={value}
      onInput={({ currentTarget }) => change(currentTarget.value)}
    />
  </label>
);
