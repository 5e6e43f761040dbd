export { type Surroundings, run } from './cli.js';
export { ExitCode } from './exit-code.js';
export type { OutputStream } from './terminal/output.js';
