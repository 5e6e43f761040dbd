import type { Route } from '../api/route.js';
import { listSubscriptions } from './events.routes.js';
import { audit, doctor, me, openApi, overview, series } from './reports.routes.js';
import { listBulk, previewJobs, startBulk, stopBulk } from './jobs/bulk.routes.js';
import { cancelJob, changeJobPriority, retryJob, runJobNow, skipJob } from './jobs/job-action.routes.js';
import { showGraph } from './jobs/graph.routes.js';
import { showLog } from './jobs/job-log.routes.js';
import { retryJobFrom, signalJob } from './jobs/job-step.routes.js';
import { listFailures, muteError, unmuteError } from './jobs/failures.routes.js';
import { copyJob, deleteJob, editJob, enqueueJob, rescheduleJob } from './jobs/manual.routes.js';
import { listMembers } from './jobs/group.routes.js';
import { countByKey, listBlockedKeys, listJobs, showJob } from './jobs/jobs.routes.js';
import { searchJobs } from './jobs/search.routes.js';
import { limitQueue, listQueueNames, listQueues, pauseQueue, resumeQueue, showQueue } from './queues.routes.js';
import { listSchedules, pauseSchedule, resumeSchedule, runSchedule } from './schedules.routes.js';
import { listWorkers, quietWorker, resumeWorker, stopWorker } from './workers.routes.js';

/** All routes except `live`. A path without a parameter comes before one whose parameter would match it. */
export const ROUTES: readonly Route[] = [
  me,
  overview,
  series,
  listQueues,
  listQueueNames,
  showQueue,
  pauseQueue,
  resumeQueue,
  limitQueue,
  listJobs,
  countByKey,
  listBlockedKeys,
  listFailures,
  muteError,
  unmuteError,
  searchJobs,
  previewJobs,
  startBulk,
  listBulk,
  stopBulk,
  enqueueJob,
  showJob,
  showLog,
  showGraph,
  runJobNow,
  retryJob,
  skipJob,
  cancelJob,
  changeJobPriority,
  editJob,
  copyJob,
  rescheduleJob,
  deleteJob,
  retryJobFrom,
  signalJob,
  listMembers,
  listWorkers,
  quietWorker,
  resumeWorker,
  stopWorker,
  listSubscriptions,
  listSchedules,
  runSchedule,
  pauseSchedule,
  resumeSchedule,
  doctor,
  audit,
  openApi,
];
