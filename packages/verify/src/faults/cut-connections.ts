import type { Fault } from './fault.js';

/**
 * Breaks connections at a random moment, some of them or all, as a firewall does (RST) or a proxy that is restarted (FIN).
 */
export const cutConnections: Fault = {
  name: 'cut-connections',
  needs: ['proxy', 'connection'],
  // With all of its connections a worker loses the lock that tells that it lives.
  allows: ['rerun', 'delay'],
  async inject(scene, random) {
    const share = random.chance(0.3) ? 1 : random.next();
    const how = random.chance(0.5) ? 'reset' : 'end';
    const hit = scene.proxy!.connections.filter(() => random.chance(share));
    const open = scene.record('everyone', `${hit.length} connections are cut (${how})`);
    hit.forEach((connection) => connection.cut(how));
    await Promise.all(hit.map((connection) => connection.whenClosed()));
    open.end();
  },
};
