import { EVENTS_QUEUE, REPLAY_JOB } from '../../definition/event-queue.js';
import { newJobId } from '../../definition/job-id.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import type { Replay } from '../../store/events/replay.js';

/** Makes the job of a replay. */
export function replayJob(replay: Replay): NewJob {
  return {
    id: newJobId(),
    queue: EVENTS_QUEUE,
    name: REPLAY_JOB,
    payload: JSON.stringify(replay),
    payloadVersion: 1,
    priority: 0,
    key: null,
    due: { delay: 0 },
    unique: null,
    order: null,
    tenant: null,
  };
}
