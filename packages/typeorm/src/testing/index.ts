export { TestingClock } from './testing-clock.js';
