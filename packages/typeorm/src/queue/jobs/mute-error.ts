import { type ActionOptions, recorded, resolveActionRecord } from '../../action-options.js';
import { type Duration, toMilliseconds } from '../../duration.js';
import type { Engine } from '../../engine/engine.js';
import * as store from '../../store/actions/muted-errors.js';
import { assertFingerprint } from './job-filter.js';

/** The shortest and the longest mute, in ms. */
const SHORTEST = 1_000;
const LONGEST = 90 * 24 * 60 * 60_000;

/** Mutes an error for a time. @throws InvalidOptionError, UnknownOptionError */
export async function muteError(
  engine: Engine,
  fingerprint: string,
  duration: Duration,
  options: ActionOptions,
): Promise<Date> {
  assertFingerprint('fingerprint', fingerprint);
  const ms = toMilliseconds('duration', duration, SHORTEST, LONGEST);
  const record = resolveActionRecord(options, 'mute', `error ${fingerprint}`, { duration });
  const until = await engine.execute(
    recorded(record, (dialect) => store.muteError(dialect, fingerprint, ms)),
    { purpose: 'mute an error', atomic: true, withoutGaps: true },
  );
  return new Date(until);
}

/** Ends a mute. @throws InvalidOptionError, UnknownOptionError */
export async function unmuteError(engine: Engine, fingerprint: string, options: ActionOptions): Promise<boolean> {
  assertFingerprint('fingerprint', fingerprint);
  const record = resolveActionRecord(options, 'unmute', `error ${fingerprint}`);
  return engine.execute(
    recorded(
      record,
      (dialect) => store.unmuteError(dialect, fingerprint),
      (wasMuted) => wasMuted,
    ),
    { purpose: 'end the mute of an error', atomic: true },
  );
}
