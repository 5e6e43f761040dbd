import mysql, { type RowDataPacket } from 'mysql2/promise';

import type { ClusterNode } from '../servers/clusters/cluster.js';
import { waitFor } from './wait-for.js';

/** Waits until one of some nodes of a group is the primary and takes writes. */
export function primaryOf(nodes: readonly ClusterNode[]): Promise<ClusterNode> {
  return waitFor(
    'there is a primary',
    async () => {
      for (const node of nodes) {
        if (await takesWrites(node).catch(() => false)) {
          return node;
        }
      }
      return undefined;
    },
    60_000,
  );
}

async function takesWrites({ url }: ClusterNode): Promise<boolean> {
  const connection = await mysql.createConnection(url);
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      `SELECT @@super_read_only = 0 AND member_role = 'PRIMARY' AS takes_writes
       FROM performance_schema.replication_group_members WHERE member_id = @@server_uuid`,
    );
    return Number(rows[0]?.takes_writes) === 1;
  } finally {
    await connection.end();
  }
}
