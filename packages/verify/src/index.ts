export {
  InvalidVerifyOptionError,
  OptionsNotPortableError,
  ProcessDidNotStartError,
  UnknownFaultError,
} from './errors/index.js';
export type { Excuse, Fault, FaultNeed } from './faults/fault.js';
export { FAULTS } from './faults/index.js';
export type { Hit, OpenRecord, Scene } from './faults/scene.js';
export type { ServerControl } from './faults/server-control.js';
export type { VerifyOptions } from './options.js';
export { Random } from './random.js';
export { type Emphasise, describeVerdict } from './verdict/describe-verdict.js';
export type { BrokenPromise, Verdict } from './verdict/verdict.js';
export { verify } from './verify.js';
