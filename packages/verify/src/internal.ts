/*
 * For the tests of this project. Applications must not use it: it changes without notice.
 */
export { answered } from './answered.js';
export { Evidence } from './evidence/evidence.js';
export type {
  EnqueueRecord,
  GatheredEvidence,
  GroupRecord,
  HandlerCall,
  JobEvidence,
  StepRecord,
  UnsettledState,
} from './evidence/gathered-evidence.js';
export { FaultPlan } from './faults/fault-plan.js';
export { type InjectedFault, InjectedFaults } from './faults/injected-faults.js';
export { stopDuring } from './faults/process-faults.js';
export { INVARIANTS } from './invariants/index.js';
export * from './proxy/index.js';
