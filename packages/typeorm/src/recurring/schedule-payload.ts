import type { Codec } from '../codec/codec.js';
import type { Codecs } from '../codec/codecs.js';
import { isEncoded, readEncoded } from '../codec/encoded-text.js';
import type { AnyJobDefinition } from '../definition/job-definition.js';
import { assertPayloadAccepted, assertPayloadSize, payloadToJson } from '../definition/payload-json.js';
import { type Engine, executeRead } from '../engine/engine.js';
import { findSchedules } from '../store/schedules/find-schedules.js';

/** A schedule to be set, as far as its payload goes. */
interface SchedulePayload {
  readonly name: string;
  readonly definition: AnyJobDefinition;
  readonly payload: unknown;
}

/**
 * Returns the payload of a schedule as it is stored.
 *
 * A codec can make another text of the same payload each time, and each process sets its schedules at its start. So a
 * text that is stored already is kept, if it is of the same codec and payload.
 *
 * @param limit the most bytes of the text.
 * @throws EncodeFailedError, and the errors of `payloadToJson` and `assertPayloadAccepted`.
 */
export async function schedulePayload(
  engine: Engine,
  codecs: Codecs,
  limit: number,
  { name, definition, payload }: SchedulePayload,
): Promise<string | null> {
  const encoder = codecs.encoderFor(definition);
  const text = payloadToJson(definition, payload, encoder ? Infinity : limit);
  await assertPayloadAccepted(definition, text);
  if (encoder === undefined || text === null) {
    return text;
  }
  const [present] = await executeRead(engine, 'read a schedule', (dialect) => findSchedules(dialect, [name]));
  if (await isSame(codecs, encoder, present?.payload ?? null, text, definition)) {
    return present?.payload ?? null;
  }
  const encoded = await codecs.encode(encoder, text, 'payload', `payload of the schedule "${name}"`);
  assertPayloadSize(definition.name, encoded, limit, encoder.id);
  return encoded;
}

async function isSame(
  codecs: Codecs,
  encoder: Codec,
  stored: string | null,
  text: string,
  definition: AnyJobDefinition,
): Promise<boolean> {
  if (stored === null || !isEncoded(stored) || readEncoded(stored).codec !== encoder.id) {
    return false;
  }
  // What cannot be decoded is stored again.
  const decoded = await codecs.decode(stored, 'payload', 'payload', definition).catch(() => undefined);
  return decoded === text;
}
