import type { Attributes } from '@opentelemetry/api';

import type { SendOperation } from '../instrumentation/instrumentation.js';

/*
 * Names of OpenTelemetry's semantic conventions for messaging, as of 2026-08. They are still "in development":
 * a package with these names may change them in a minor release, so they are defined here.
 */
export const SYSTEM = 'messaging.system';
const OPERATION = 'messaging.operation.name';
const OPERATION_TYPE = 'messaging.operation.type';
export const DESTINATION = 'messaging.destination.name';
export const MESSAGE_ID = 'messaging.message.id';
export const MESSAGE_COUNT = 'messaging.batch.message_count';
export const ERROR_TYPE = 'error.type';
export const DATABASE = 'db.namespace';
/* Names of this system. */
export const JOB_NAME = 'messaging.tablequeue.job.name';
export const ATTEMPT = 'messaging.tablequeue.job.attempt';
export const STEP = 'messaging.tablequeue.step.name';
export const OUTCOME = 'messaging.tablequeue.outcome';
export const STATE = 'messaging.tablequeue.job.state';
export const PROBLEM_KIND = 'messaging.tablequeue.problem.kind';
export const SEVERITY = 'messaging.tablequeue.problem.severity';
export const PREFIX = 'messaging.tablequeue.table_prefix';

/** The operations that have spans. */
export type OperationName = 'send' | 'process' | 'step';

/** Returns the attributes of the span and the metrics of an operation. Each has few values. */
export function operationAttributes(
  operation: OperationName,
  { queue, name }: Pick<SendOperation, 'queue' | 'name'>,
): Attributes {
  return {
    [SYSTEM]: 'tablequeue',
    [OPERATION]: operation,
    // The conventions have no type for a part of a process.
    ...(operation !== 'step' && { [OPERATION_TYPE]: operation }),
    ...(queue !== undefined && { [DESTINATION]: queue }),
    ...(name !== undefined && { [JOB_NAME]: name }),
  };
}

/** Returns the name of a span: `send mail`, or `send` for several queues. */
export function spanName(operation: OperationName, queue: string | undefined): string {
  return queue === undefined ? operation : `${operation} ${queue}`;
}
