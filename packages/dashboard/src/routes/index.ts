import type { Route } from '../api/route.js';
import { audit } from './audit.route.js';
import { doctor } from './doctor.route.js';
import { bulkJobs, previewJobs } from './jobs/bulk.routes.js';
import { cancelJob, changeJobPriority, retryJob, runJobNow } from './jobs/job-action.routes.js';
import { countByKey, listJobs, showJob } from './jobs/jobs.routes.js';
import { me, openApi } from './me.routes.js';
import { overview, series } from './overview.routes.js';
import { limitQueue, pauseQueue, resumeQueue } from './queues.routes.js';
import { listSchedules, pauseSchedule, resumeSchedule, runSchedule } from './schedules.routes.js';
import { listWorkers } from './workers.route.js';

/** All routes except `live`. A path without a parameter comes before one whose parameter would match it. */
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
  changeJobPriority,
  listWorkers,
  listSchedules,
  runSchedule,
  pauseSchedule,
  resumeSchedule,
  doctor,
  audit,
  openApi,
];
