import { knowsSkipLocked } from '../../../engine/mysql/server/server-version.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** How workers claim here. It is tried, as they do at their start. */
export const claimStrategy: Check<ExaminedServer> = {
  name: 'claim-strategy',
  async run({ engine, version }) {
    if (await engine.skipsLocked()) {
      return ok('skip-locked: locked rows are passed over');
    }
    return warning(
      'compare-and-set',
      knowsSkipLocked(version.text)
        ? 'SKIP LOCKED does not pass over what other connections have locked, here or on other nodes: claims cost more.'
        : 'The server has no SKIP LOCKED: claims cost more, and wait for rows that are locked.',
    );
  },
};
