export { OptionsNotPortableError } from './options-not-portable.error.js';
export { ProcessDidNotStartError } from './process-did-not-start.error.js';
export { UnknownFaultError } from './unknown-fault.error.js';
