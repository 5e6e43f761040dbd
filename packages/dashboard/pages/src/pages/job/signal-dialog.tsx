import { useState } from 'preact/hooks';

import type { useStepChange } from '../../api/changes.js';
import { visible } from '../../format/visible.js';
import { Confirm } from '../../dialogs/dialog.js';

interface SignalDialogProps {
  readonly signal: string;
  readonly change: ReturnType<typeof useStepChange>;
  readonly close: () => void;
}

/** Asks for the data of a signal. */
export function SignalDialog({ signal, change, close }: SignalDialogProps) {
  const [text, setText] = useState('');
  const data = parsed(text);
  return (
    <Confirm
      title={`Send ${visible(signal)} to this job`}
      verb="Send the signal"
      closeLabel="Send nothing"
      isBusy={change.isPending}
      isReady={data !== undefined}
      close={close}
      confirm={() => data && change.mutate({ signal, ...data }, { onSettled: close })}
    >
      <label class="field">
        <span>Data as JSON; empty for none</span>
        <textarea
          rows={4}
          value={text}
          aria-invalid={data === undefined}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <p class="quiet">The handler gets it as it is: the schema of the signal is not checked here.</p>
    </Confirm>
  );
}

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): { readonly data?: unknown } | undefined {
  if (text.trim() === '') {
    return {};
  }
  try {
    return { data: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
