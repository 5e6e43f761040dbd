import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A theme changes nothing but colors. */
export const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * What axe finds wrong with a page: which rule, on what.
 *
 * @param rules only these. Default: all.
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  // By the debugger, for the policy of the page lets no script of others in. Its value would be sent back, and is
  // large.
  if (!(await page.evaluate('"axe" in window'))) {
    await page.evaluate(`${axe.source}; undefined`);
  }
  // All that is well would be described too, which takes most of the time.
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: { type: 'rule', values: rules } }) };
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary = '' }) => id + ': ' + html + ' ' + failureSummary)))`);
}
