import { describeEach } from '../support/each-engine.js';
import { liveSuite } from './live.suite.js';

// In a file of its own: see liveSuite.
describeEach('the overview as it comes', liveSuite, ['mysql']);
