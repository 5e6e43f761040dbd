import type { Fault } from './fault.js';

/** Breaks some or all connections at a random moment, as a firewall (RST) or a restarted proxy (FIN) does. */
export const cutConnections: Fault = {
  name: 'cut-connections',
  needs: ['proxy', 'connection'],
  // A worker that loses all connections loses its liveness lock too.
  allows: ['rerun', 'delay'],
  async inject(context, random) {
    const share = random.chance(0.3) ? 1 : random.next();
    const mode = random.chance(0.5) ? 'reset' : 'end';
    const connections = context.proxy!.connections.filter(() => random.chance(share));
    const active = context.begin('everyone', `${connections.length} connections are cut (${mode})`);
    connections.forEach((connection) => connection.cut(mode));
    await Promise.all(connections.map((connection) => connection.whenClosed()));
    active.end();
  },
};
