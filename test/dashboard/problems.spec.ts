import 'reflect-metadata';

import { Body, Controller, Post } from '@nestjs/common';
import { type INestApplication } from '@nestjs/common';
import { describe, expect, jest, test } from '@jest/globals';

import { type DashboardSetup, PLATFORMS } from '../support/dashboard.js';
import { oneDashboard } from '../support/one-dashboard.js';

const startDashboard = oneDashboard();

const WRITE_HEADERS = { 'content-type': 'application/json', 'x-tablequeue-dashboard': '1' };

/** Routes of the application: one beside the API, and one whose path contains the path of the API. */
@Controller()
class OwnController {
  @Post(['own', 'other/queues/api/own'])
  take(@Body() body: object): object {
    return { body };
  }
}

const OPEN: DashboardSetup['dashboard'] = { public: true, role: () => 'operator' };

describe.each(PLATFORMS)('problem responses on %s', (platform) => {
  const start = async (dashboard = OPEN, configure?: (app: INestApplication) => void) =>
    startDashboard({ platform, dashboard, controllers: [OwnController], ...(configure && { configure }) });
  const send = async (url: string, method: string, body?: string, headers: Record<string, string> = WRITE_HEADERS) => {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      body: await response.json(),
    };
  };
  const problem = (status: number, name: string, detail: unknown = expect.any(String)) => ({
    status,
    type: 'application/problem+json; charset=utf-8',
    body: expect.objectContaining({ type: `tablequeue:${name}`, status, title: expect.any(String), detail }),
  });
  const LARGE = JSON.stringify({ text: 'x'.repeat(2_000_000) });

  test('a body that is not JSON or too large is a problem below the API, and unchanged elsewhere', async () => {
    const { url } = await start();
    const api = `${url}/queues/api/jobs/bulk`;
    expect(await send(api, 'POST', '{"action":')).toEqual(problem(400, 'invalid-request'));
    expect(await send(api, 'POST', LARGE)).toEqual(problem(413, 'too-large'));
    for (const own of ['own', 'other/queues/api/own']) {
      const { status, type, body } = await send(`${url}/${own}`, 'POST', '{"action":');
      expect([own, status, type]).toEqual([own, 400, 'application/json; charset=utf-8']);
      expect(body).toMatchObject({ statusCode: 400 });
      expect(await send(`${url}/${own}`, 'POST', LARGE)).toMatchObject({ status: 413, body: { statusCode: 413 } });
      expect(await send(`${url}/${own}`, 'POST', '{"a":1}')).toMatchObject({ status: 201, body: { body: { a: 1 } } });
    }
  });

  test('a global prefix changes nothing about that', async () => {
    const { url } = await start(OPEN, (app) => app.setGlobalPrefix('shop'));
    expect(await send(`${url}/shop/queues/api/jobs/preview`, 'POST', '{')).toEqual(problem(400, 'invalid-request'));
    expect(await send(`${url}/shop/queues/api/nothing`, 'PUT', '{}')).toEqual(problem(404, 'not-found'));
    expect(await send(`${url}/shop/own`, 'POST', '{')).toMatchObject({ status: 400, body: { statusCode: 400 } });
  });

  test('an unknown path or method is not found', async () => {
    const { url } = await start();
    for (const [method, path] of [
      ['GET', 'nothing'],
      ['POST', 'nothing/at/all'],
      ['POST', ''],
      ['POST', 'overview'],
      ['PUT', 'jobs/bulk'],
      ['PATCH', 'queues/mail/limits'],
      ['DELETE', 'jobs/1'],
      ['POST', 'live'],
    ] as const) {
      const body = method === 'GET' ? undefined : '{}';
      const answer = await send(`${url}/queues/api/${path}`, method, body);
      expect([method, path, answer]).toEqual([
        method,
        path,
        problem(404, 'not-found', `The API has no ${method} "${path}".`),
      ]);
    }
    expect(await send(`${url}/nothing`, 'POST', '{}')).toMatchObject({ status: 404, body: { statusCode: 404 } });
  });

  test('an unexpected error is logged and reveals nothing', async () => {
    const error = jest.fn();
    const failing: DashboardSetup['dashboard'] = {
      public: true,
      who: () => {
        throw new TypeError('secret: the password');
      },
    };
    const { url } = await start(failing, (app) =>
      app.useLogger({ error, log: () => undefined, warn: () => undefined }),
    );
    const answer = await send(`${url}/queues/api/me`, 'GET');
    expect(answer).toEqual(problem(500, 'unexpected', expect.not.stringContaining('secret')));
    expect(error.mock.calls.map(([thrown]) => String(thrown))).toEqual(['TypeError: secret: the password']);
  });
});
