import { route } from '../api/route.js';

export const openapi = route<object>({
  name: 'openapi',
  method: 'GET',
  path: 'openapi.json',
  summary: 'This description',
  answer: { type: 'object' },
  run: async ({ description }) => description,
});
