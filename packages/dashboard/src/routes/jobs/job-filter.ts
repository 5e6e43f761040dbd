import type { JobFilter as BrowserFilter } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import type { JobFilter } from '../../contract/index.js';

/** Converts the filter of a request to the filter of `JobBrowser`. */
export function toBrowserFilter({
  state,
  queue,
  name,
  key,
  tenant,
  error,
  fingerprint,
  from,
  to,
}: JobFilter): BrowserFilter {
  const [start, before] = [from, to].map((time) => (time === undefined ? undefined : new Date(time)));
  return {
    state,
    ...defined({
      queue,
      name,
      key,
      tenant,
      errorIncludes: error,
      errorFingerprint: fingerprint,
      from: start,
      before,
    }),
  };
}
