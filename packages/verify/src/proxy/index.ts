export type { CommandName } from './protocol.js';
export type { Side, Interception } from './protocol-observer.js';
export { FaultProxy, type Interceptor, type PassingCommand } from './fault-proxy.js';
export { serverIn } from './proxied-options.js';
export { type CutMode, type Direction, ProxiedConnection } from './proxied-connection.js';
export { reset } from './channel.js';
