/**
 * Marks handler methods. A constant key and not a generated one: handlers decorated by one copy of this package are
 * then seen by another.
 */
export const QUEUE_HANDLER_METADATA = '@tablequeue/nestjs:queue-handler';

/** Where the function is kept that `@QueueHandler` has decorated. */
export const DECORATED_FUNCTION = '@tablequeue/nestjs:decorated-function';

/** Marks methods whose job is enqueued again and again. */
export const RECURRING_METADATA = '@tablequeue/nestjs:recurring';

/** Where Nest's pipes and parameter decorators find the arguments of a handler method. */
export const ARGUMENTS_METADATA = '@tablequeue/nestjs:arguments';

/** Marks methods that listen to events. */
export const QUEUE_LISTENER_METADATA = '@tablequeue/nestjs:queue-listener';

/** The data source the module works on. */
export const TABLE_QUEUE_DATA_SOURCE = Symbol('TABLE_QUEUE_DATA_SOURCE');

/** The module's own queue, whatever its token is outside. */
export const TABLE_QUEUE = Symbol('TABLE_QUEUE');

/** What was given to the module itself, beside what a factory returns. Known before any provider is made. */
export const MODULE_EXTRAS = Symbol('TABLE_QUEUE_MODULE_EXTRAS');

/** Fails the start if the module was imported without options. */
export const WITH_OPTIONS = Symbol('TABLE_QUEUE_WITH_OPTIONS');

/** Gives the entities of the data source the options of the application that starts. */
export const STARTING_APPLICATION = Symbol('TABLE_QUEUE_STARTING_APPLICATION');

/** Fails the start if the data source refuses the entities. */
export const ACCEPTED_ENTITIES = Symbol('TABLE_QUEUE_ACCEPTED_ENTITIES');

/** The module's scheduled services, all of them. */
export const SCHEDULED_SERVICES = Symbol('TABLE_QUEUE_SCHEDULED_SERVICES');

export const RESOLVED_OPTIONS = Symbol('TABLE_QUEUE_RESOLVED_OPTIONS');
