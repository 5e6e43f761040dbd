import { describeEach } from '../support/each-engine.js';
import { brokenConnectionsSuite } from './broken-connections.suite.js';

describeEach(
  'a connection that falls silent at each statement',
  (engine) => brokenConnectionsSuite(engine, 'silence'),
  ['mariadb'],
);
