import type * as fc from 'fast-check';

import { advance } from './advance.js';
import { begin } from './begin.js';
import { cancelByKey } from './cancel-by-key.js';
import { cancelMany } from './cancel-many.js';
import { cancel } from './cancel.js';
import { changePriority } from './change-priority.js';
import type { Command } from './command.js';
import { enqueueGroup } from './enqueue-group.js';
import { enqueueMany } from './enqueue-many.js';
import { enqueueUnique } from './enqueue-unique.js';
import { enqueue } from './enqueue.js';
import { finish } from './finish.js';
import { limit } from './limit.js';
import { pause } from './pause.js';
import { prune } from './prune.js';
import { reap } from './reap.js';
import { retry } from './retry.js';
import { runNow } from './run-now.js';

/** All commands on the machine; those that move jobs on are listed more often. */
// prettier-ignore
export const commands: fc.Arbitrary<Command>[] = [
  enqueue, enqueue, enqueue, enqueueMany, enqueueUnique, enqueueUnique, enqueueUnique, enqueueGroup, enqueueGroup,
  begin, begin, begin, begin, begin, finish, finish, finish, finish, finish, finish, finish, finish,
  advance, advance, cancel, cancel, cancelByKey, cancelMany, runNow, retry, retry, retry, changePriority,
  pause, limit, limit, reap, prune, prune,
];
