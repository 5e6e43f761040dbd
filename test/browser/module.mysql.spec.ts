import { describeEach } from '../support/each-engine.js';
import { moduleSuite } from './module.suite.js';

// One engine: test/dashboard/api.suite.ts tries the same actions, without a browser, on each of them.
describeEach('actions on the pages', moduleSuite, ['mysql']);
