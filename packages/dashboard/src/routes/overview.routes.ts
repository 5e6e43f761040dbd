import type { ThroughputPoint } from '@tablequeue/typeorm';

import { route } from '../api/route.js';
import { Overview, Series, type SeriesPoint } from '../contract/index.js';
import { described, oneOf, text } from '../contract/json-schema.js';

export const overview = route({
  name: 'overview',
  method: 'GET',
  path: 'overview',
  summary: 'All queues, and what needs attention; at most a second old',
  response: Overview,
  run: ({ database }) => database.overview.latest(),
});

export const series = route({
  name: 'series',
  method: 'GET',
  path: 'series',
  summary: 'Ended attempts, per minute for the last hour or per 15 minutes for the last day',
  query: {
    required: { span: oneOf('hour', 'day') },
    optional: { queue: described(text(64), 'one queue; default: all queues') },
  },
  response: Series,
  run: async ({ database, query: { span, queue } }) => {
    const { takenAt, width, points } = await database.reads.getOrRead(['series', span, queue], () =>
      database.queue.activity.throughput(span, queue),
    );
    return { span, bucket: width, takenAt: takenAt.getTime(), points: points.map(toPoint) };
  },
});

function toPoint({ at, succeeded, failed, retried, latencyMean, latencyMax, runMean }: ThroughputPoint): SeriesPoint {
  return {
    at: at.getTime(),
    succeeded,
    failed,
    retried,
    latencyMean: latencyMean ?? null,
    latencyMax: latencyMax ?? null,
    runMean: runMean ?? null,
  };
}
