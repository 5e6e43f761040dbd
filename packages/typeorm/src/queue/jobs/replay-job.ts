import { EVENTS_QUEUE, REPLAY_JOB } from '../../definition/event-queue.js';
import type { NewJob } from '../../store/base/jobs/new-job.js';
import { dueJob } from '../../store/events/event-run.js';
import type { Replay } from '../../store/events/replay.js';

/** Makes the job of a replay. */
export function replayJob(replay: Replay): NewJob {
  const content = { payload: JSON.stringify(replay), payloadVersion: 1, trace: null };
  return dueJob({ name: REPLAY_JOB, queue: EVENTS_QUEUE, priority: 0 }, content);
}
