import type { Duration } from '@tablequeue/typeorm';
import { defined } from '@tablequeue/typeorm/internal';

import { route } from '../../api/route.js';
import { ErrorMute, FILTER, FailedErrors, MuteRequest } from '../../contract/index.js';
import { FINGERPRINT, described, integer } from '../../contract/json-schema.js';

const MOST_ERRORS = 100;

export const listFailures = route({
  name: 'listFailures',
  method: 'GET',
  path: 'jobs/failures',
  summary: 'The latest failed jobs by error, the most frequent first',
  query: {
    optional: {
      queue: FILTER.optional.queue,
      limit: described(integer(1, 1_000), `errors; default: ${MOST_ERRORS}`),
    },
  },
  response: FailedErrors,
  run: async ({ database, query: { queue, limit = MOST_ERRORS } }) => {
    const options = { limit, ...defined({ queue }) };
    const { errors, since, omitted, ...rest } = await database.reads.getOrRead(['failures', options], () =>
      database.queue.failed.errors(options),
    );
    return {
      ...rest,
      errors: errors.map(({ firstAt, lastAt, mutedUntil, ...error }) => ({
        ...error,
        firstAt: firstAt.getTime(),
        lastAt: lastAt.getTime(),
        mutedUntil: mutedUntil?.getTime() ?? null,
      })),
      since: since?.getTime() ?? null,
      omitted: omitted.jobs,
    };
  },
});

const MUTE = {
  method: 'POST',
  params: { fingerprint: described(FINGERPRINT, 'of the error') },
  response: ErrorMute,
} as const;

export const muteError = route({
  ...MUTE,
  name: 'muteError',
  path: 'jobs/failures/:fingerprint/mute',
  summary: 'Mute an error for all users, for a time',
  body: MuteRequest,
  run: async ({ database, params: { fingerprint }, body: { duration }, caller }) => {
    const until = await database.queue.failed.mute(fingerprint, duration as Duration, { by: caller.name });
    return { fingerprint, mutedUntil: until.getTime() };
  },
});

export const unmuteError = route({
  ...MUTE,
  name: 'unmuteError',
  path: 'jobs/failures/:fingerprint/unmute',
  summary: 'End the mute of an error',
  run: async ({ database, params: { fingerprint }, caller }) => {
    await database.queue.failed.unmute(fingerprint, { by: caller.name });
    return { fingerprint, mutedUntil: null };
  },
});
