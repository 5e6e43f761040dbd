import { describeEach } from '../support/each-engine.js';
import { moduleSuite } from './module.suite.js';

// In a file of its own: see moduleSuite.
describeEach('what is done on the pages', moduleSuite, ['mariadb']);
