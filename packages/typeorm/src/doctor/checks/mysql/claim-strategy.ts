import { supportsSkipLocked } from '../../../engine/mysql/server/server-version.js';
import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, warning } from '../../finding.js';

/** The claim strategy of workers. It tries SKIP LOCKED, as workers do when they start. */
export const claimStrategy: Check<ExaminedServer> = {
  name: 'claim-strategy',
  async run({ engine, version }) {
    if (await engine.skipsLocked()) {
      return ok('skip-locked: claims skip locked rows');
    }
    return warning(
      'compare-and-set',
      supportsSkipLocked(version.text)
        ? 'SKIP LOCKED does not skip the rows that other connections or nodes have locked: claims cost more.'
        : 'The server does not support SKIP LOCKED: claims cost more, and wait for locked rows.',
    );
  },
};
