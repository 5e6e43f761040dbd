import { describeEach } from '../support/each-engine.js';
import { readingsSuite } from './readings.suite.js';

// In a file of its own: see readingsSuite.
describeEach('what many pages cost', readingsSuite, ['mysql']);
