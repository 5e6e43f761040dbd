import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

import type { Plugin } from 'vite';

import { CONTENT_SECURITY_POLICY } from '../../src/page-files/content-security-policy.js';
import { respond } from './respond.js';

type Next = () => void;

/** Mocks the API, to develop the pages without an application. The build does not contain it. */
export function mock(): Plugin {
  return {
    name: 'mock',
    configureServer: ({ middlewares }) => void middlewares.use(mockApi),
    configurePreviewServer({ middlewares, config }) {
      middlewares.use(mockApi);
      middlewares.use(servePage(join(config.build.outDir, 'index.html')));
    },
  };
}

function mockApi(request: IncomingMessage, response: ServerResponse, next: Next): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mock');
  const path = /^\/api\/(.*)$/.exec(pathname)?.[1];
  return path === undefined ? next() : void respond(request, response, path, searchParams);
}

/** Serves the built page with the headers of the module. */
const servePage =
  (file: string) =>
  (request: IncomingMessage, response: ServerResponse, next: Next): void =>
    extname(new URL(request.url ?? '/', 'http://mock').pathname) === '' ? void sendPage(file, response) : next();

async function sendPage(file: string, response: ServerResponse): Promise<void> {
  const html = await readFile(file, 'utf8');
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': CONTENT_SECURITY_POLICY,
  });
  response.end(html);
}
