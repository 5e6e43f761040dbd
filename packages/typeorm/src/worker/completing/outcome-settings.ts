import type { QueueLogger } from '../../logger.js';
import type { Redact } from '../../redaction.js';

/** What the outcomes of a worker depend on besides the attempt. */
export interface OutcomeSettings {
  /** The largest result that is stored, in bytes of JSON. */
  readonly maxResultBytes: number;
  readonly logger: QueueLogger;
  readonly redact: Redact;
}
