import 'reflect-metadata';

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import {
  type ArgumentsHost,
  type CanActivate,
  Catch,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  Injectable,
  Module,
  Post,
  Redirect,
  UnauthorizedException,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { defineJob } from '@tablequeue/typeorm';
import type { Page } from 'playwright-core';

import { violationsOf } from '../support/axe.js';
import { TestBrowser, type Visit, settled } from '../support/browser.js';
import { DashboardApplication } from '../support/dashboard.js';
import { type TestDatabase, createDatabase } from '../support/database.js';
import { waitFor } from '../support/wait-for.js';

const mail = defineJob('mail', { queue: 'mail' });

interface SignedInRequest {
  readonly headers: { readonly cookie?: string };
  user?: string;
}

/** A user with the cookie is signed in. Only mary has access. */
@Injectable()
class StaffGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const [, user] = /\buser=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
    if (user === undefined) {
      throw new UnauthorizedException('Sign in first.');
    }
    request.user = user;
    return user === 'mary';
  }
}

@Controller('sign-in')
class SignInController {
  @Get()
  @Header('Content-Type', 'text/html')
  page(): string {
    return '<h1>Sign in</h1><form method="post"><button>I am mary</button></form>';
  }

  @Post()
  @Header('Set-Cookie', 'user=mary; Path=/; HttpOnly; SameSite=Lax')
  @Redirect('/queues/', 303)
  signIn(): void {}
}

@Module({ controllers: [SignInController] })
class SignInModule {}

/** Redirects users who are not signed in to the sign-in page, as applications do. */
@Catch(UnauthorizedException)
class ToSignIn implements ExceptionFilter {
  catch(_error: unknown, host: ArgumentsHost): void {
    host.switchToHttp().getResponse<{ redirect(url: string): void }>().redirect('/sign-in');
  }
}

let browser: TestBrowser;
let database: TestDatabase;
let application: DashboardApplication | undefined;
beforeAll(async () => {
  [browser, database] = await Promise.all([TestBrowser.start(), createDatabase('sqlite')]);
});
afterEach(async () => {
  await browser.closeVisits();
  await application?.close();
  application = undefined;
});
afterAll(async () => {
  await browser.close();
  await database.drop();
});

async function start(leadsToSignIn: boolean): Promise<DashboardApplication> {
  application = await DashboardApplication.start(database, {
    imports: [SignInModule],
    providers: leadsToSignIn ? [{ provide: APP_FILTER, useClass: ToSignIn }] : [],
    dashboard: { guards: [StaffGuard], who: ({ user }: SignedInRequest) => user },
  });
  await application.queue().enqueue(mail);
  return application;
}

async function signedIn(app: DashboardApplication): Promise<Visit> {
  const visit = await browser.visit(`${app.url}/sign-in`);
  await visit.page.getByRole('button', { name: 'I am mary' }).click();
  await settled(visit.page);
  await visit.page.getByText('Live', { exact: true }).waitFor();
  return visit;
}

const text = (page: Page) => page.evaluate<string>('document.body.innerText');

test('a user without access sees the response of the application, and nothing of the pages', async () => {
  const { url } = await start(false);
  const { page } = await browser.visit(`${url}/sign-in`);
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
  for (const [user, status, message] of [
    [undefined, 401, 'Sign in first.'],
    ['eve', 403, 'Forbidden resource'],
  ] as const) {
    await page.context().addCookies(user ? [{ name: 'user', value: user, url }] : []);
    for (const path of ['/queues', '/queues/', '/queues/jobs?state=failed', '/queues/queues/mail']) {
      loaded.length = 0;
      const response = await page.goto(`${url}${path}`);
      expect([path, response?.status()]).toEqual([path, status]);
      expect(await text(page)).toContain(message);
      expect(await page.locator('#app').count()).toBe(0);
      expect(loaded.filter((each) => each.startsWith('/queues'))).toEqual([new URL(`${url}${path}`).pathname]);
    }
  }
});

test('a filter of the application redirects to the sign-in page, which leads to the pages', async () => {
  const { url } = await start(true);
  const { page } = await browser.visit(`${url}/queues/jobs`);
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(page.url()).toBe(`${url}/sign-in`);
  await page.getByRole('button', { name: 'I am mary' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByText('mary', { exact: true }).waitFor();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('a session ends while a page is open: the page shows it, and leads to the sign-in page', async () => {
  const app = await start(true);
  const { page } = await signedIn(app);
  await page.getByRole('link', { name: 'mail', exact: true }).first().click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();

  await page.context().clearCookies();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.locator('.notices').getByText('You are not signed in. Sign in first.').waitFor();
  expect(await app.queue().control.list()).not.toContainEqual(expect.objectContaining({ pausedAt: expect.any(Date) }));
  await page.getByRole('link', { name: /^Workers/ }).click();
  const note = page.getByRole('alert');
  await note.getByRole('heading', { name: 'You are not signed in' }).waitFor();
  await note.getByText('tablequeue:unauthenticated').waitFor();
  expect(await violationsOf(page)).toEqual([]);

  // As after five minutes, when the guards run again.
  (app.app.getHttpServer() as { closeAllConnections(): void }).closeAllConnections();
  await page.getByText('Disconnected since').waitFor();

  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByRole('button', { name: 'I am mary' }).click();
  await page.getByText('Live', { exact: true }).waitFor();
});

test('an open page continues after the user signs in again in another tab', async () => {
  const app = await start(true);
  const { page } = await signedIn(app);
  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  await page.getByRole('link', { name: /^Workers/ }).click();
  await page.getByRole('alert').waitFor();
  (app.app.getHttpServer() as { closeAllConnections(): void }).closeAllConnections();
  await page.getByText('Disconnected since').waitFor();
  await page.context().addCookies(cookies);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.getByRole('heading', { name: 'No worker is running' }).waitFor();
  await waitFor('the problem is gone', async () => (await page.getByRole('alert').count()) === 0);
});
