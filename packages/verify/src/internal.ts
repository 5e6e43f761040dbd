/*
 * What the tests of this project use beside the public API. Not for applications: it changes without notice.
 */
export {
  type EnqueueRecord,
  Evidence,
  type GatheredEvidence,
  type GroupRecord,
  type JobEvidence,
  type HandlerCall,
} from './evidence/evidence.js';
export { FaultPlan } from './faults/fault-plan.js';
export { type InjectedFault, InjectedFaults } from './faults/injected-faults.js';
export { INVARIANTS } from './invariants/index.js';
export * from './proxy/index.js';
