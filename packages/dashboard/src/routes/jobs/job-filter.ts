import type { JobFilter as CoreFilter } from '@tablequeue/typeorm';

import type { JobFilter } from '../../contract/index.js';

/** A filter as the queue takes it. */
export function coreFilter({ state, queue, name, key, tenant, error, from, to }: JobFilter): CoreFilter {
  return {
    state,
    ...(queue !== undefined && { queue }),
    ...(name !== undefined && { name }),
    ...(key !== undefined && { key }),
    ...(tenant !== undefined && { tenant }),
    ...(error !== undefined && { errorIncludes: error }),
    ...(from !== undefined && { from: new Date(from) }),
    ...(to !== undefined && { before: new Date(to) }),
  };
}
