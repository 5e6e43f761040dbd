import { useState } from 'preact/hooks';

import type { BulkAction, BulkRequest, JobFilter } from '../../contract.js';
import { formatJobs } from '../../format/numbers.js';
import { ACTIONS } from '../../format/labels.js';
import { BulkDialog } from './bulk-dialog.js';
import type { Selection } from './selection.js';

interface BulkBarProps {
  readonly filter: JobFilter;
  readonly actions: readonly BulkAction[];
  readonly selection: Selection;
}

export function BulkBar({ filter, actions, selection }: BulkBarProps) {
  const [action, setAction] = useState<BulkAction | undefined>(undefined);
  const target: BulkRequest['filter'] = selection.isAll ? filter : { ids: [...selection.ids] };
  return (
    <div class="bulk" role="region" aria-label="Selected jobs">
      <p>
        <b>{selection.isAll ? 'All that match' : formatJobs(selection.count)}</b> selected
        <span class="quiet bulk-note">The list is not refreshed meanwhile.</span>
      </p>
      {actions.map((possible) => (
        <button key={possible} type="button" class="button" onClick={() => setAction(possible)}>
          {ACTIONS[possible].verb}
        </button>
      ))}
      <button type="button" class="button-plain" onClick={selection.clear}>
        Clear selection
      </button>
      {action && (
        <BulkDialog
          action={action}
          filter={filter}
          target={target}
          close={() => setAction(undefined)}
          done={() => {
            setAction(undefined);
            selection.clear();
          }}
        />
      )}
    </div>
  );
}
