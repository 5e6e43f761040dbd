import { describeEach } from '../support/each-engine.js';
import { liveSuite } from './live.suite.js';

// In its own file: see liveSuite.
describeEach('the stream of overviews', liveSuite, ['mariadb']);
