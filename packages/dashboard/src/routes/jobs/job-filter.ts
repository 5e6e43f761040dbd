import type { JobFilter as CoreFilter } from '@tablequeue/typeorm';

import { ApiProblem } from '../../api/api-problem.js';
import type { JobFilter } from '../../contract/index.js';

/** @throws ApiProblem */
export function coreFilter({ state, queue, name, key, tenant, error, from, to }: JobFilter): CoreFilter {
  if (error !== undefined && state !== 'failed') {
    throw new ApiProblem('invalid-request', 'Errors are searched among failed jobs: leave `error` out.', 'error');
  }
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
