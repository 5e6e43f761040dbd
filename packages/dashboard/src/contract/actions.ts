import { ANYTHING, type Infer, TIME, UUID, component, described, integer, named, oneOf, text } from './json-schema.js';

/** The priority of a job. */
export const Priority = described(integer(-500, 500), 'lower numbers run first');

export type JobAction = Infer<typeof JobAction>;
export const JobAction = named('JobAction', oneOf('run-now', 'retry', 'skip', 'cancel', 'priority'));

export type BulkAction = Infer<typeof BulkAction>;
export const BulkAction = named(
  'BulkAction',
  oneOf('run-now', 'retry', 'skip', 'cancel', 'priority', 'move', 'delete'),
);

export type ManualAction = Infer<typeof ManualAction>;
export const ManualAction = named('ManualAction', oneOf('edit', 'copy', 'edit-copy', 'reschedule', 'delete'));

export type PriorityRequest = Infer<typeof PriorityRequest>;
export const PriorityRequest = component('PriorityRequest', { priority: Priority });

export type RetryRequest = Infer<typeof RetryRequest>;
export const RetryRequest = component('RetryRequest', { from: described(text(191), 'the name of a step or wait') });

export type SignalRequest = Infer<typeof SignalRequest>;
export const SignalRequest = component(
  'SignalRequest',
  { signal: described(text(191), 'its name') },
  { data: described(ANYTHING, 'JSON data; left out for a signal without data') },
);

const Reason = described(text(500), 'why, for the audit log; default: no reason');
const Payload = described(ANYTHING, 'JSON data');
const Delay = described(integer(0), 'in ms from now; not with `runAt`');

export type ReasonRequest = Infer<typeof ReasonRequest>;
export const ReasonRequest = component('ReasonRequest', {}, { reason: Reason });

export type EditRequest = Infer<typeof EditRequest>;
export const EditRequest = component('EditRequest', { payload: Payload }, { reason: Reason });

export type RescheduleRequest = Infer<typeof RescheduleRequest>;
export const RescheduleRequest = component('RescheduleRequest', { runAt: TIME }, { reason: Reason });

export type CopyRequest = Infer<typeof CopyRequest>;
export const CopyRequest = component(
  'CopyRequest',
  {},
  { payload: described(ANYTHING, 'default: that of the job'), delay: Delay, runAt: TIME, reason: Reason },
);

export type EnqueueRequest = Infer<typeof EnqueueRequest>;
export const EnqueueRequest = component(
  'EnqueueRequest',
  { queue: text(64), name: described(text(128), 'of the definition') },
  { payload: Payload, delay: Delay, runAt: TIME, priority: Priority, key: text(191), reason: Reason },
);

export type StoredJob = Infer<typeof StoredJob>;
export const StoredJob = component('StoredJob', { id: UUID });
