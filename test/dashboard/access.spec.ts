import 'reflect-metadata';

import { describe, expect, test } from '@jest/globals';
import { type CanActivate, type ExecutionContext, Injectable, Module, UnauthorizedException } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { DashboardModule, MissingGuardError } from '@tablequeue/dashboard';
import { defineJob } from '@tablequeue/typeorm';
import { map } from 'rxjs';

import { type DashboardApplication, type DashboardSetup, PLATFORMS } from '../support/dashboard.js';
import { oneDashboard } from '../support/one-dashboard.js';
import { VERSION } from '../support/version.js';

interface PassRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  user?: string;
}

/** The users with access. */
@Injectable()
class Passes {
  readonly names = ['ada', 'grace'];
}

@Module({ providers: [Passes], exports: [Passes] })
class PassesModule {}

/** Allows the users in `Passes`. */
@Injectable()
class PassGuard implements CanActivate {
  constructor(private readonly passes: Passes) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<PassRequest>();
    const name = request.headers['x-pass'];
    if (name === undefined) {
      throw new UnauthorizedException('Show your pass.');
    }
    request.user = name;
    return this.passes.names.includes(name);
  }
}

const GUARDED: DashboardSetup = {
  dashboard: {
    guards: [PassGuard],
    imports: [PassesModule],
    role: ({ user }: PassRequest) => (user === 'ada' ? 'operator' : 'reader'),
    who: ({ user }: PassRequest) => user,
  },
  signedIn: { 'x-pass': 'ada' },
};

const mail = defineJob('mail', { queue: 'mail' });

const startDashboard = oneDashboard();

describe.each(PLATFORMS)('access on %s', (platform) => {
  const start = async (setup: DashboardSetup): Promise<DashboardApplication> => {
    const running = await startDashboard({ platform, ...setup });
    await running.queue().enqueue(mail);
    return running;
  };
  const isPaused = async (app: DashboardApplication) =>
    (await app.queue().control.list()).some(({ queue, pausedAt }) => queue === 'mail' && pausedAt !== undefined);

  test('the guards of the application protect the pages, their files and the API', async () => {
    const app = await start(GUARDED);
    const paths = [
      '',
      '/jobs',
      '/favicon.svg',
      '/assets/nothing.js',
      '/api/me',
      '/api/live',
      '/api/openapi.json',
      '/api/nothing',
    ];
    for (const path of paths) {
      expect([path, (await fetch(`${app.url}/queues${path}`)).status]).toEqual([path, 401]);
      const refused = await fetch(`${app.url}/queues${path}`, { headers: { 'x-pass': 'eve' } });
      expect([path, refused.status]).toEqual([path, 403]);
    }
    expect((await app.get('me')).body).toMatchObject({ type: 'tablequeue:unauthenticated', detail: 'Show your pass.' });
    expect((await app.get('me', { 'x-pass': 'eve' })).body).toMatchObject({
      type: 'tablequeue:forbidden',
      status: 403,
    });
    expect((await app.get('me', { 'x-pass': 'ada' })).body).toEqual({
      name: 'ada',
      role: 'operator',
      databases: ['default'],
      version: VERSION,
      environment: null,
      maySetPayloads: true,
    });
  });

  test('a reader sees everything and changes nothing', async () => {
    const app = await start(GUARDED);
    const grace = { 'x-pass': 'grace' };
    expect((await app.get('me', grace)).body).toMatchObject({ name: 'grace', role: 'reader' });
    const { id } = await app.queue().enqueue(mail);
    expect((await app.get(`jobs/${id}`, grace)).body).toMatchObject({ id, actions: [] });
    expect((await app.get('jobs?state=ready', grace)).body).toMatchObject({ actions: [] });
    const writes = Object.entries((await document(app)).paths).flatMap(([path, operations]) =>
      Object.keys(operations).flatMap((method) => (method === 'get' ? [] : [[method.toUpperCase(), path] as const])),
    );
    expect(writes.length).toBeGreaterThan(5);
    for (const [method, path] of writes) {
      const filled = path
        .slice(1)
        .replace('{id}', id)
        .replaceAll(/\{\w+\}/g, 'mail');
      const { status, body } = await app.write(method as 'POST', filled, {}, grace);
      expect([path, status, body]).toEqual([path, 403, expect.objectContaining({ type: 'tablequeue:read-only' })]);
    }
    expect(await isPaused(app)).toBe(false);
    expect((await app.write('POST', 'queues/mail/pause', {}, { 'x-pass': 'ada' })).status).toBe(200);
    expect(await isPaused(app)).toBe(true);
    await app.queue().control.resume('mail');
  });

  test('users of a public dashboard are readers, unless `role` returns operator', async () => {
    const app = await start({ dashboard: { public: true } });
    expect((await app.get('me')).body).toMatchObject({ name: null, role: 'reader' });
    expect((await app.write('POST', 'queues/mail/pause')).status).toBe(403);
    await app.close();
    const other = await start({ dashboard: { public: true, role: () => 'admin' as 'operator' } });
    expect((await other.get('me')).body).toMatchObject({ role: 'reader' });
  });

  test.each([
    ['a client without the header', { 'x-tablequeue-dashboard': undefined }, 403],
    ['another origin, by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another host of the same site', { 'sec-fetch-site': 'same-site' }, 403],
    ['another origin, by Origin', { origin: 'https://evil.example' }, 403],
    ['the origin null of a sandboxed page', { origin: 'null' }, 403],
    ['a form', { 'content-type': 'text/plain' }, 415],
    ['the pages, by Sec-Fetch-Site', { 'sec-fetch-site': 'same-origin', origin: 'https://proxied.example' }, 200],
    ['an allowed origin', { origin: 'https://admin.example.com' }, 200],
    [
      'an allowed origin, by Sec-Fetch-Site',
      { 'sec-fetch-site': 'cross-site', origin: 'https://admin.example.com' },
      200,
    ],
    ['a client that is not a browser', {}, 200],
  ])('a change from %s', async (_what, headers, expected) => {
    const app = await start({
      dashboard: { public: true, role: () => 'operator', origins: ['https://admin.example.com'] },
    });
    const { status, body } = await app.write('POST', 'queues/mail/pause', {}, headers);
    expect([status, body]).toEqual([expected, expect.anything()]);
    expect(await isPaused(app)).toBe(expected === 200);
    await app.queue().control.resume('mail');
  });

  test('a change from the origin of the application is allowed', async () => {
    const app = await start({});
    expect((await app.write('POST', 'queues/mail/pause', {}, { origin: app.url })).status).toBe(200);
    await app.queue().control.resume('mail');
  });

  test('an interceptor of the application that wraps responses does not wrap these', async () => {
    let calls = 0;
    const envelope = {
      intercept: (_context: ExecutionContext, next: { handle(): import('rxjs').Observable<unknown> }) => {
        calls++;
        return next.handle().pipe(map((data) => ({ data })));
      },
    };
    const app = await start({ providers: [{ provide: APP_INTERCEPTOR, useValue: envelope }] });
    expect((await app.get('me')).body).toMatchObject({ role: 'operator' });
    expect((await fetch(`${app.url}/queues`)).headers.get('content-type')).toContain('text/html');
    expect(calls).toBeGreaterThan(1);
  });
});

describe('a dashboard without guards', () => {
  test.each([{}, { guards: [] }, { path: '/admin' }])('does not start without `public`: %j', (options) => {
    expect(() => DashboardModule.forRoot(options)).toThrow(MissingGuardError);
    expect(() => DashboardModule.forRootAsync({ ...options, useFactory: () => ({}) })).toThrow(MissingGuardError);
  });

  test('an invalid option is named', () => {
    const wrong = (options: object) => () => DashboardModule.forRoot({ public: true, ...options });
    expect(wrong({ path: '/a b' })).toThrow('The option "path" is \'/a b\', but must be a path of letters');
    expect(wrong({ path: '/' })).toThrow('The option "path"');
    expect(wrong({ public: false })).toThrow('The option "public" is false, but must be true');
    expect(wrong({ guards: ['AdminGuard'] })).toThrow('The option "guards"');
    expect(wrong({ role: 'reader' })).toThrow('The option "role" is \'reader\', but must be a function');
    expect(wrong({ payloads: 'none' })).toThrow("The option \"payloads\" is 'none', but must be 'shown' or 'hidden'");
    expect(wrong({ dataSources: [] })).toThrow('The option "dataSources"');
    expect(wrong({ origins: ['example.com'] })).toThrow('The option "origins"');
    expect(wrong({ environment: 'x'.repeat(41) })).toThrow('The option "environment"');
    expect(wrong({ environment: '' })).toThrow('The option "environment"');
    expect(wrong({ guard: PassGuard })).toThrow('There is no option "guard"');
    expect(() =>
      DashboardModule.forRootAsync({ public: true, payloads: 'hidden', useFactory: () => ({}) } as never),
    ).toThrow('The option "payloads" is \'hidden\', but must be returned by the factory of forRootAsync');
  });
});

async function document(app: DashboardApplication): Promise<{ paths: Record<string, Record<string, unknown>> }> {
  return (await app.get('openapi.json', { 'x-pass': 'ada' })).body as never;
}
