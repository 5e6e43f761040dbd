import type { Codecs } from '../../codec/codecs.js';
import type { QueueLogger } from '../../logger.js';
import type { Redact } from '../../redaction.js';

/** What the outcomes of a worker depend on besides the attempt. */
export interface OutcomeSettings {
  /** The largest result, in bytes as it is stored. */
  readonly maxResultBytes: number;
  readonly codecs: Codecs;
  readonly logger: QueueLogger;
  readonly redact: Redact;
}
