import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

import type { Plugin } from 'vite';

import { respond } from './respond.js';

type Next = () => void;

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

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
  if (path === undefined) {
    next();
  } else {
    void respond(request, response, path, searchParams);
  }
}

/** Serves the built page with the headers of the module. */
const servePage =
  (file: string) =>
  (request: IncomingMessage, response: ServerResponse, next: Next): void => {
    if (extname(new URL(request.url ?? '/', 'http://mock').pathname) !== '') {
      next();
      return;
    }
    void sendPage(file, response);
  };

async function sendPage(file: string, response: ServerResponse): Promise<void> {
  const html = await readFile(file, 'utf8');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': POLICY });
  response.end(html);
}
