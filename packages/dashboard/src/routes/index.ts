import type { Route } from '../api/route.js';
import { doctor } from './doctor/doctor.js';
import { listAudit } from './audit/list-audit.js';
import { bulkJobs } from './jobs/bulk-jobs.js';
import { cancelJob } from './jobs/cancel-job.js';
import { countByKey } from './jobs/count-by-key.js';
import { listJobs } from './jobs/list-jobs.js';
import { previewJobs } from './jobs/preview-jobs.js';
import { prioritiseJob } from './jobs/prioritise-job.js';
import { retryJob } from './jobs/retry-job.js';
import { runJobNow } from './jobs/run-job-now.js';
import { showJob } from './jobs/show-job.js';
import { me } from './me.js';
import { openapi } from './openapi.js';
import { overview } from './overview.js';
import { limitQueue } from './queues/limit-queue.js';
import { pauseQueue } from './queues/pause-queue.js';
import { resumeQueue } from './queues/resume-queue.js';
import { listSchedules } from './schedules/list-schedules.js';
import { pauseSchedule } from './schedules/pause-schedule.js';
import { resumeSchedule } from './schedules/resume-schedule.js';
import { runSchedule } from './schedules/run-schedule.js';
import { series } from './series.js';
import { listWorkers } from './workers/list-workers.js';

/** All routes of the API but the live one. A path without a parameter stands before one that would take it for a value. */
export const ROUTES: readonly Route[] = [
  me,
  overview,
  series,
  pauseQueue,
  resumeQueue,
  limitQueue,
  listJobs,
  countByKey,
  previewJobs,
  bulkJobs,
  showJob,
  runJobNow,
  retryJob,
  cancelJob,
  prioritiseJob,
  listWorkers,
  listSchedules,
  runSchedule,
  pauseSchedule,
  resumeSchedule,
  doctor,
  listAudit,
  openapi,
];
