import { route } from '../api/route.js';
import { Me } from '../contract/index.js';
import { VERSION } from '../dashboard.constants.js';

export const me = route({
  name: 'me',
  method: 'GET',
  path: 'me',
  summary: 'The user, and the databases that are shown',
  response: Me,
  run: async ({ caller, databases }) => ({ ...caller, databases, version: VERSION }),
});

export const openApi = route({
  name: 'openapi',
  method: 'GET',
  path: 'openapi.json',
  summary: 'This description',
  response: { type: 'object' },
  run: async (call) => call.openApi,
});
