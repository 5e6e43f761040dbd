import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';
import type { Page } from 'playwright-core';

import { type Look, TestBrowser, settled } from '../support/browser.js';
import { DashboardApplication, type DashboardSetup, PLATFORMS } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { notified } from '../support/page-parts.js';
import { type ProxyRules, ReverseProxy } from '../support/reverse-proxy.js';

const mail = defineJob('mail.send', { queue: 'mail' });

let browser: TestBrowser;
let database: TestDatabase;
let application: DashboardApplication;
let proxy: ReverseProxy;
beforeAll(async () => {
  [browser, database] = await Promise.all([TestBrowser.start(), createDatabase('sqlite')]);
});
afterEach(async () => {
  await browser.closeVisits();
  await proxy.close();
  await application.close();
});
afterAll(async () => {
  await browser.close();
  await database.drop();
});

async function start(setup: DashboardSetup, rules: ProxyRules): Promise<void> {
  application = await DashboardApplication.start(database, setup);
  proxy = await ReverseProxy.open(application.url, rules);
  await application.queue().control.resume('mail');
}

const isPaused = async () => (await application.queue().control.list()).some(({ pausedAt }) => pausedAt !== undefined);

/** Replaces one path prefix with another. Other paths are not proxied. */
const replace = (from: string, to: string) => (path: string) =>
  path.startsWith(from) ? to + path.slice(from.length) : undefined;

describe.each(PLATFORMS)('on %s, behind a proxy', (platform) => {
  test.each([
    { what: 'removes a prefix', from: '/intern/tools/', to: '/', entry: '/intern/tools/queues' },
    { what: 'keeps its prefix', from: '/intern/tools/', to: '/intern/tools/', entry: '/intern/tools/queues' },
    { what: 'has another path', from: '/admin/jobs/', to: '/queues/', entry: '/admin/jobs/' },
  ])('that $what: pages, files, API, events and changes', async ({ from, to, entry }) => {
    const prefix = from === to ? from : '';
    await start(
      { platform, configure: (app) => prefix && app.setGlobalPrefix(prefix) },
      { path: replace(from, to), changesHost: true },
    );
    const { id } = await application.queue().enqueue(mail, undefined, { delay: '1h' });
    const { page, errors } = await browser.visit('about:blank');
    const strayed: string[] = [];
    page.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      if (origin !== proxy.url || !pathname.startsWith(entry)) {
        strayed.push(request.url());
      }
    });
    await page.goto(`${proxy.url}${entry}`);
    await settled(page);
    await page.getByText('Live', { exact: true }).waitFor();

    await application.queue().enqueue(mail, undefined, { delay: '2h' });
    await page.getByRole('link', { name: /^Scheduled\s*[1-9]/ }).click();
    await page.locator(`[data-job="${id}"]`).getByRole('link', { name: 'mail.send' }).click();
    await page.waitForURL(`${proxy.url}${entry.replace(/\/$/, '')}/jobs/${id}`);
    await page.reload();
    await settled(page);
    await page.getByRole('button', { name: 'Run now' }).click();
    await notified(page, 'Made ready mail.send.');
    expect((await application.queue().find(id))?.state).toBe('ready');
    await page.getByRole('link', { name: 'mail', exact: true }).first().click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await notified(page, 'Paused mail.');
    expect(await isPaused()).toBe(true);
    expect(strayed).toEqual([]);
    expect(errors).toEqual([]);
  });
});

test('a page of another origin changes nothing, although its requests arrive', async () => {
  await start({}, { path: replace('/', '/'), changesHost: true });
  const { page } = await browser.visit(`${application.url}/elsewhere`);
  const action = `${proxy.url}/queues/api/queues/mail/pause`;
  await page.setContent(`<form method="post" enctype="text/plain" action="${action}"><button>Send</button></form>`);
  const answer = page.waitForResponse(action);
  await page.getByRole('button').click();
  expect((await answer).status()).toBe(403);
  expect(await isPaused()).toBe(false);
});

describe('without HTTPS, where browsers do not send Sec-Fetch-Site', () => {
  const origin = 'http://shop.example';

  /** The browser resolves this name to the proxy. */
  const pause = async (origins: readonly string[], changesHost: boolean): Promise<Page> => {
    await start(
      { dashboard: { public: true, role: () => 'operator', origins } },
      { path: replace('/', '/'), changesHost },
    );
    await application.queue().enqueue(mail);
    const look: Look = { proxy: { server: proxy.url } };
    const { page } = await browser.visit(`${origin}/queues/queues/mail`, look);
    await settled(page);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    return page;
  };

  test.each([
    ['keeps the header Host', [], false],
    ['changes it, if the option `origins` names the origin', [origin], true],
  ])('a change passes a proxy that %s', async (_what, origins, changesHost) => {
    await notified(await pause(origins, changesHost), 'Paused mail.');
    expect(await isPaused()).toBe(true);
  });

  test('if a proxy changes the header Host, the page names the missing option', async () => {
    await notified(await pause([], true), `The request comes from ${origin}, not from the pages of this dashboard.`);
    expect(await isPaused()).toBe(false);
  });
});
