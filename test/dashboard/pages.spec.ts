import 'reflect-metadata';

import { readdir } from 'node:fs/promises';

import { describe, expect, test } from '@jest/globals';
import { VersioningType } from '@nestjs/common';

import { type DashboardSetup, PLATFORMS } from '../support/dashboard.js';
import { oneDashboard } from '../support/one-dashboard.js';

const PAGES = new URL('../../packages/dashboard/dist/pages/', import.meta.url);

const startDashboard = oneDashboard();

describe.each(PLATFORMS)('the pages on %s', (platform) => {
  const start = async (setup: DashboardSetup = {}): Promise<string> => {
    return (await startDashboard({ platform, ...setup })).url;
  };

  test('each path returns the page, with links relative to the path of the dashboard', async () => {
    const url = await start();
    for (const [path, root] of [
      ['/queues', '/queues/'],
      ['/queues/', '/queues/'],
      ['/queues?database=default', '/queues/'],
      ['/queues/jobs', '/queues/'],
      ['/queues/jobs/', '/queues/'],
      ['/queues/jobs/0190-1?state=failed', '/queues/'],
      ['/queues/queues/mail', '/queues/'],
      ['/queues/queues/a%2Fb', '/queues/'],
      ['/queues/queues/a%2F%2F%2F%2F%2F%2F%2F%2F%2F', '/queues/'],
      ['/queues/there/is/no/such/page', '/queues/'],
    ] as const) {
      const response = await fetch(`${url}${path}`);
      expect([path, response.status]).toEqual([path, 200]);
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const base = baseOf(await response.text());
      expect([path, new URL(base, `${url}${path}`).pathname]).toEqual([path, root]);
    }
  });

  test('a global prefix, a version and another path work too', async () => {
    const url = await start({
      dashboard: { public: true, path: 'admin/jobs/' },
      configure: (app) => {
        app.setGlobalPrefix('shop');
        app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' });
      },
    });
    for (const path of ['/shop/admin/jobs', '/shop/admin/jobs/', '/shop/admin/jobs/queues/mail']) {
      const response = await fetch(`${url}${path}`);
      const base = baseOf(await response.text());
      expect([path, new URL(base, `${url}${path}`).pathname]).toEqual([path, '/shop/admin/jobs/']);
      // A prefix that a proxy adds is only in the URL of the browser.
      expect(new URL(base, `https://example.com/intern${path}`).pathname).toBe('/intern/shop/admin/jobs/');
    }
    expect((await fetch(`${url}/shop/admin/jobs/api/me`)).status).toBe(200);
    expect((await fetch(`${url}/shop/v2/admin/jobs/api/me`)).status).toBe(404);
  });

  test('the policy forbids inline scripts, other origins and frames', async () => {
    const { headers } = await fetch(`${await start()}/queues`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
        "font-src 'self'; manifest-src 'self'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  test('files have the right types, and are cached if their names contain a hash', async () => {
    const url = await start();
    const files = (await readdir(PAGES, { recursive: true })).filter((file) => /\.\w+$/.test(file));
    expect(files.length).toBeGreaterThan(2);
    const types: Record<string, string> = {
      js: 'text/javascript',
      css: 'text/css',
      svg: 'image/svg+xml',
      md: 'text/plain',
    };
    for (const file of files.filter((each) => each !== 'index.html')) {
      const response = await fetch(`${url}/queues/${file}`);
      await response.arrayBuffer();
      const type = types[file.split('.').at(-1) as string] as string;
      expect([file, response.status, response.headers.get('content-type')]).toEqual([
        file,
        200,
        expect.stringMatching(new RegExp(`^${type.replace('+', '\\+')}(; charset=utf-8)?$`)),
      ]);
      expect(response.headers.get('cache-control')).toBe(
        file.startsWith('assets/') ? 'private, max-age=31536000, immutable' : 'private, no-cache',
      );
    }
  });

  test('no path leads out of the folder', async () => {
    const url = await start();
    for (const path of [
      '/queues/assets/..%2f..%2f..%2fpackage.json',
      '/queues/..%2f..%2fpackage.json',
      '/queues/assets/%2e%2e/%2e%2e/package.json',
      '/queues/assets/..%5c..%5cindex.js',
      '/queues/%2fetc%2fpasswd',
      '/queues/assets/nothing.js',
    ]) {
      const response = await fetch(`${url}${path}`);
      const text = await response.text();
      expect([path, text.includes('"dependencies"') || text.includes('root:')]).toEqual([path, false]);
      expect([200, 400, 404]).toContain(response.status);
      expect([path, response.status === 200 && !text.includes('<base href=')]).toEqual([path, false]);
    }
  });

  test('an unknown path below the API or the files is a problem, not a page', async () => {
    const url = await start();
    for (const path of ['api/nothing', 'api', 'assets/nothing.js']) {
      const response = await fetch(`${url}/queues/${path}`);
      expect([path, response.status]).toEqual([path, 404]);
      expect(response.headers.get('content-type')).toContain('application/problem+json');
      expect(await response.json()).toMatchObject({ type: 'tablequeue:not-found', status: 404 });
    }
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  });
});

function baseOf(html: string): string {
  const bases = [...html.matchAll(/<base href="([^"]*)" \/>/g)].map(([, base]) => base as string);
  expect(bases).toHaveLength(1);
  return bases[0] as string;
}
