import { actionsOf } from '@tablequeue/typeorm/internal';

import type { Caller } from '../../api/route.js';
import type { JobAction, JobState } from '../../contract/index.js';

/** What somebody can do with jobs of a state. The pages know no other list. */
export function actionsFor({ role }: Caller, state: JobState): JobAction[] {
  return role === 'operator' ? actionsOf(state) : [];
}
