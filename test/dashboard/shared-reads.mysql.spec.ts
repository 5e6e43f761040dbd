import { describeEach } from '../support/each-engine.js';
import { sharedReadsSuite } from './shared-reads.suite.js';

// In its own file: see sharedReadsSuite.
describeEach('the load of many pages', sharedReadsSuite, ['mysql']);
