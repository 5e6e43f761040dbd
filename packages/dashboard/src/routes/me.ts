import type { Me } from '../contract/index.js';
import { route } from '../api/route.js';
import { ref } from '../schema/json-schema.js';
import { VERSION } from '../version.js';

export const me = route<Me>({
  name: 'me',
  method: 'GET',
  path: 'me',
  summary: 'Who asks, and what there is to see',
  answer: ref('Me'),
  run: async ({ caller, databases }) => ({ ...caller, databases, version: VERSION }),
});
