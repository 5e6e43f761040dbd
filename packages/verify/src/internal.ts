/*
 * What the tests of this project use beside the public API. Not for applications: it changes without notice.
 */
export {
  type EnqueueAct,
  Evidence,
  type Gathered,
  type GroupAct,
  type JobEvidence,
  type Run,
} from './evidence/evidence.js';
export { FaultPlan } from './faults/fault-plan.js';
export { type FaultRecord, FaultRecords } from './faults/fault-record.js';
export { INVARIANTS } from './invariants/index.js';
export * from './proxy/index.js';
