import type { WorkerRow } from '../../contract.js';
import { Badge } from '../../components/badge.js';
import { formatExact } from '../../format/times.js';
import { visible } from '../../format/visible.js';

/** Shows what a worker does other than working, or what was requested of it and not done yet. */
export function RequestBadge({ worker: { state, request } }: { readonly worker: WorkerRow }) {
  const title =
    request === null
      ? undefined
      : `Requested${request.by ? ` by ${visible(request.by)}` : ''}, ${formatExact(request.at)}`;
  if (state === 'stopping' || (state === 'quiet' && request?.action === 'quiet')) {
    return (
      <Badge tone="warn" title={title}>
        {state}
      </Badge>
    );
  }
  const pending = request?.action ?? (state === 'quiet' ? 'resume' : undefined);
  return pending === undefined ? null : (
    <Badge tone="later" title={title ?? 'The worker follows when it next renews its lease.'}>
      {pending} requested
    </Badge>
  );
}
