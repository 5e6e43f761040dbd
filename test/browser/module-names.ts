import { expect, test } from '@jest/globals';
import { defineJob } from '@tablequeue/typeorm';

import type { ModuleInBrowser } from '../support/module-in-browser.js';

/** Every character that a name may have besides letters and digits. */
const NAME = 'odd/queue:with.all_of-them//';
/** `%41` would become `A`, and `%252F` would become `%2F`, if the URL were decoded twice. */
const KEY = '鍵/?#&=+;% %41 %252F "\'<>\\';

const odd = defineJob(NAME, { queue: NAME });

/** Tests that pages open for names and keys of all allowed characters: by click, after a reload, and by Back. */
export function nameTests({ open, queue, untilNotice }: ModuleInBrowser): void {
  test('the page of a queue with every allowed character opens by click, after a reload, and by Back', async () => {
    await queue().enqueue(odd);
    const { page, errors } = await open('');
    const heading = page.getByRole('heading', { level: 1, name: NAME });
    await page.getByRole('table', { name: 'Queues' }).getByRole('link', { name: NAME }).click();
    await heading.waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await untilNotice(page, `Paused ${NAME}.`);
    await page.reload();
    await heading.waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await untilNotice(page, `Resumed ${NAME}.`);
    await page.getByRole('link', { name: 'Jobs', exact: true }).last().click();
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await page.goBack();
    await heading.waitFor();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('filters keep every character of a key, by click, after a reload, and by Back', async () => {
    const { id } = await queue().enqueue(odd, undefined, { key: KEY, tenant: KEY, delay: '1h' });
    const { page, errors } = await open(`/jobs/${id}`);
    for (const [name, field] of [
      ['Key', 'Key'],
      ['Tenant', 'Tenant'],
    ] as const) {
      await page.locator('.facts > div').filter({ hasText: name }).getByRole('link').click();
      const row = page.locator(`[data-job="${id}"]`);
      await row.waitFor();
      await page.reload();
      await row.waitFor();
      expect(await page.getByRole('searchbox', { name: field }).inputValue()).toBe(KEY);
      await row.getByRole('rowheader').getByRole('link').click();
      await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
      await page.goBack();
      await row.waitFor();
      expect(await page.getByRole('searchbox', { name: field }).inputValue()).toBe(KEY);
      await page.goBack();
      await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    }
    expect(errors).toEqual([]);
  });

  test('a schedule with every allowed character is paused', async () => {
    await queue().recurring.set(NAME, odd, undefined, { every: '1h' });
    // The page of a queue that does not exist yet gets a 404, which is an error of the console.
    await queue().enqueue(odd);
    const { page, errors } = await open('/recurring');
    await page.getByRole('button', { name: `Pause: ${NAME}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await untilNotice(page, `Paused ${NAME}.`);
    await page.getByRole('row').filter({ hasText: NAME }).getByRole('link', { name: NAME }).click();
    await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
    expect(errors).toEqual([]);
  });
}
