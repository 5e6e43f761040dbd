import { describeEach } from '../support/each-engine.js';
import { apiSuite } from './api.suite.js';

// In a file of its own: see apiSuite.
describeEach('what the dashboard does', apiSuite, ['mariadb']);
