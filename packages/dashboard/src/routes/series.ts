import type { ThroughputPoint } from '@tablequeue/typeorm';

import { route } from '../api/route.js';
import type { Series, SeriesPoint } from '../contract/index.js';
import { described, oneOf, ref, text } from '../schema/json-schema.js';

export const series = route<Series, { query: { span: Series['span']; queue?: string } }>({
  name: 'series',
  method: 'GET',
  path: 'series',
  summary: 'What ended, in the last hour by the minute or in the last day by the quarter of an hour',
  query: {
    required: { span: oneOf('hour', 'day') },
    optional: { queue: described(text(64), 'of one queue; of all unless said') },
  },
  answer: ref('Series'),
  run: async ({ database, query: { span, queue } }) => {
    const { takenAt, width, points } = await database.readings.of(['series', span, queue], () =>
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
