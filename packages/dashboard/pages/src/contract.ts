export type * from '../../src/contract/index.js';
