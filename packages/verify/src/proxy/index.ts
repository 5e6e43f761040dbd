export type { CommandName } from './commands.js';
export type { Side, Strike } from './conversation.js';
export { FaultProxy, type Interceptor, type PassingCommand } from './fault-proxy.js';
export { serverIn } from './proxied-options.js';
export { type Break, type Direction, ProxiedConnection } from './proxied-connection.js';
export { reset } from './reset.js';
