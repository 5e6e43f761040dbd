import { expect, test } from '@jest/globals';
import type { AuditEntry } from '@tablequeue/dashboard';

import { violationsOf } from '../support/axe.js';
import { mockedBrowser } from '../support/mocked-browser.js';

const pages = mockedBrowser();

test('the audit log shows invisible characters of names and details, and who stopped what', async () => {
  const { page, errors } = await pages.visit('');
  const entry: AuditEntry = {
    id: '0193f5a1-7c06-7b31-9d42-0000000000b1',
    at: Date.now(),
    who: 'mary\u202Eada',
    action: 'pause',
    target: 'queue mail',
    detail: 'reason nothing\u0007 \u2066happened',
    outcome: '1 changed',
  };
  const stop = { ...entry, id: `${entry.id}2`, action: 'stop', target: `bulk ${entry.id}`, who: null, detail: null };
  await page.route('**/api/audit*', (route) => route.fulfill({ json: { entries: [entry, stop], next: null } }));
  await page.goto(`${pages.url}audit`);
  const table = page.getByRole('table', { name: 'Actions' });
  await table.getByText('mary\\u202Eada', { exact: true }).waitFor();
  await table.getByText('reason nothing\\u0007 \\u2066happened', { exact: true }).waitFor();
  const stopped = table.getByRole('row').filter({ hasText: `bulk ${entry.id}` });
  await stopped.getByRole('rowheader', { name: 'Stop', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'What' }).selectOption({ label: 'Stop' });
  expect(await violationsOf(page)).toEqual([]);
  expect(errors).toEqual([]);
});
