/**
 * Marks handler methods. A constant key and not a generated one: handlers decorated by one copy of this package are
 * then seen by another.
 */
export const QUEUE_HANDLER_METADATA = '@tablequeue/nestjs:queue-handler';

/** Marks methods whose job is enqueued again and again. */
export const RECURRING_METADATA = '@tablequeue/nestjs:recurring';

/** Marks methods that listen to events. */
export const QUEUE_LISTENER_METADATA = '@tablequeue/nestjs:queue-listener';

/** The data source the module works on. */
export const TABLE_QUEUE_DATA_SOURCE = Symbol('TABLE_QUEUE_DATA_SOURCE');
