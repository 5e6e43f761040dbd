import { describeEach } from '../support/each-engine.js';
import { moduleSuite } from './module.suite.js';

describeEach('TableQueueModule', moduleSuite, ['mysql']);
