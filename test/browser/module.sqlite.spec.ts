import { describeEach } from '../support/each-engine.js';
import { moduleSuite } from './module.suite.js';

// In its own file: see moduleSuite.
describeEach('actions on the pages', moduleSuite, ['sqlite']);
