import { describeEach } from '../support/each-engine.js';
import { brokenConnectionsSuite } from './broken-connections.suite.js';

describeEach('a connection that breaks at each statement', (engine) => brokenConnectionsSuite(engine, 'cut'), [
  'mysql',
]);
