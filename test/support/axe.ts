import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds wrong with a page: which rule, on what. */
export async function violationsOf(page: Page): Promise<string[]> {
  // By the debugger, for the policy of the page lets no script of others in. Its value would be sent back, and is
  // large.
  if (!(await page.evaluate('"axe" in window'))) {
    await page.evaluate(`${axe.source}; undefined`);
  }
  // All that is well would be described too, which takes most of the time.
  return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => id + ': ' + html + ' ' + failureSummary)))`);
}
