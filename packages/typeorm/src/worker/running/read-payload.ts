import type { Codecs } from '../../codec/codecs.js';
import { isEncoded } from '../../codec/encoded-text.js';
import type { AnyJobDefinition } from '../../definition/job-definition.js';
import { payloadFromJson, payloadFromValue } from '../../definition/payload-json.js';
import type { ClaimedJob } from '../../store/base/jobs/claimed-job.js';

/**
 * Returns the payload for the handler; a promise of it if a codec has encoded it, if there is a schema, or if an
 * upcaster returns one.
 *
 * @throws DecodeFailedError, and the errors of `payloadFromJson`.
 */
export function readPayload(codecs: Codecs, definition: AnyJobDefinition, job: ClaimedJob): unknown {
  const { name, payload: stored, payloadVersion } = job;
  if (stored === null || !isEncoded(stored)) {
    return payloadFromJson(definition, stored, payloadVersion);
  }
  return codecs
    .decodeJson(stored, 'payload', `payload of job "${name}"`, definition)
    .then((value) => payloadFromValue(definition, value, payloadVersion));
}
