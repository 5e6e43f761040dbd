import type { JobFilter as BrowserFilter } from '@tablequeue/typeorm';

import type { JobFilter } from '../../contract/index.js';

/** Converts the filter of a request to the filter of `JobBrowser`. */
export function toBrowserFilter({ state, queue, name, key, tenant, error, from, to }: JobFilter): BrowserFilter {
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
