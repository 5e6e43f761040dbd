import { useState } from 'preact/hooks';

import type { useStepChange } from '../../api/changes.js';
import { visible } from '../../format/visible.js';
import { Confirm } from '../../dialogs/dialog.js';
import { JsonField, parseJson } from '../../dialogs/json-field.js';

interface SignalDialogProps {
  readonly signal: string;
  readonly change: ReturnType<typeof useStepChange>;
  readonly close: () => void;
}

/** Asks for the data of a signal. */
export function SignalDialog({ signal, change, close }: SignalDialogProps) {
  const [text, setText] = useState('');
  const data = parseJson(text);
  return (
    <Confirm
      title={`Send ${visible(signal)} to this job`}
      verb="Send the signal"
      closeLabel="Send nothing"
      isBusy={change.isPending}
      isReady={data !== undefined}
      close={close}
      confirm={() =>
        data && change.mutate({ signal, ...('value' in data && { data: data.value }) }, { onSettled: close })
      }
    >
      <JsonField label="Data as JSON; empty for none" rows={4} text={text} change={setText} />
      <p class="quiet">The handler gets it as it is: the schema of the signal is not checked here.</p>
    </Confirm>
  );
}
