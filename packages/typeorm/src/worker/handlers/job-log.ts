/** The fields of a line: values by name. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The log of a job. A call only adds a line to a buffer: it waits for nothing and never throws. The lines are stored
 * about once a second, and at the latest with the outcome. See the guide "Logs of a job".
 *
 * Of an attempt the first 1,000 lines are stored, up to 256 Ki characters; a last line counts the dropped ones. A
 * text, or the fields as JSON, longer than 16,384 characters is cut.
 *
 * @example
 * job.log.info('label printed', { carrier, attempts: 2 });
 */
export interface JobLog {
  /** Adds a line that helps to debug the handler. */
  readonly debug: (message: string, fields?: LogFields) => void;
  /** Adds a line about normal work. */
  readonly info: (message: string, fields?: LogFields) => void;
  /** Adds a line about something unexpected. */
  readonly warn: (message: string, fields?: LogFields) => void;
  /** Adds a line about an error. Errors in `fields` are stored with their stacks. */
  readonly error: (message: string, fields?: LogFields) => void;
}
