import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import Sequencer from '@jest/test-sequencer';

import { PARTS } from '../dist/run/parts.js';

/** Seconds by file, for the files that take long. A fresh clone has no times of its own. */
const durations = JSON.parse(readFileSync(new URL('durations.json', import.meta.url), 'utf8'));

/** Runs part after part, and in each part the longest files first, so that the workers finish at about the same time. */
export default class LongestFirstSequencer extends Sequencer {
  sort(tests) {
    const order = PARTS.map(({ name }) => name);
    const partOf = ({ context }) => order.indexOf(context.config.displayName?.name);
    const secondsOf = ({ path, context }) => durations[relative(context.config.rootDir, path)] ?? 0;
    return super.sort([...tests]).toSorted((a, b) => partOf(a) - partOf(b) || secondsOf(b) - secondsOf(a));
  }
}
