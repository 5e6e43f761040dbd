import { route } from '../api/route.js';
import type { Overview } from '../contract/index.js';
import { ref } from '../schema/json-schema.js';

export const overview = route<Overview>({
  name: 'overview',
  method: 'GET',
  path: 'overview',
  summary: 'All queues, and what has to be looked at; at most a second old',
  answer: ref('Overview'),
  run: ({ database }) => database.overview.latest(),
});
