import { describeEach } from '../support/each-engine.js';
import { killedProcessesSuite } from './killed-processes.suite.js';

describeEach('a worker process that is killed at each of its statements', killedProcessesSuite, ['mysql']);
