import { describeEach } from '../support/each-engine.js';
import { apiSuite } from './api.suite.js';

// In its own file: see apiSuite.
describeEach('the API of the dashboard', apiSuite, ['mysql']);
