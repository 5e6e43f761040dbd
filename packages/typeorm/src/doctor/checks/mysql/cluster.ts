import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { type Answer, ok, problem, warning } from '../../finding.js';

const SINGLE_WRITER = 'Send all traffic of the queue to one node, and use the others for failover only.';

/** Whether this is the only server that accepts writes: locks apply to one server only. */
export const cluster: Check<ExaminedServer> = {
  name: 'cluster',
  run({ globals, status }) {
    if (globals.get('wsrep_on') === 'ON') {
      return galera(status);
    }
    if (globals.get('read_only') === 'ON' || globals.get('super_read_only') === 'ON') {
      return problem(
        'the server is read-only: a replica, or a demoted primary',
        'Jobs cannot be enqueued, claimed or completed here.',
        'Connect to the primary; on Aurora, to the cluster (writer) endpoint.',
      );
    }
    if (globals.get('group_replication_group_name')) {
      return groupReplication(globals);
    }
    return ok('one server that accepts writes, no cluster found');
  },
};

function groupReplication(globals: ExaminedServer['globals']): Answer {
  if (globals.get('group_replication_single_primary_mode') !== 'ON') {
    return warning(
      'Group Replication with several primaries',
      'Locks do not apply on the other primaries: the same jobs can be claimed there, and one commit fails.',
      SINGLE_WRITER,
      'SELECT group_replication_switch_to_single_primary_mode();',
    );
  }
  const consistency = globals.get('group_replication_consistency');
  return consistency === 'EVENTUAL'
    ? warning(
        'Group Replication with this server as the single primary; group_replication_consistency = EVENTUAL',
        'After a failover the new primary may lack the last transactions: committed jobs can be missing for a while.',
        "SET PERSIST group_replication_consistency = 'BEFORE_ON_PRIMARY_FAILOVER';",
      )
    : ok(`Group Replication with this server as the single primary; consistency ${consistency}`);
}

function galera(status: ExaminedServer['status']): Answer {
  const size = Number(status.get('wsrep_cluster_size'));
  const found = `Galera, ${size} ${size === 1 ? 'node' : 'nodes'}`;
  if (status.get('wsrep_ready') !== 'ON') {
    return problem(
      `${found}, not ready: ${status.get('wsrep_cluster_status')}, ${status.get('wsrep_local_state_comment')}`,
      'The node is not part of the primary component, or is still synchronizing, and refuses statements.',
    );
  }
  if (size < 3) {
    return warning(
      found,
      'If one of two nodes fails, the other has no majority and refuses statements. A single node has no failover.',
      'Add nodes or an arbitrator, so that the cluster has three members.',
    );
  }
  return warning(
    found,
    'Row locks apply to one node: with several writers jobs are claimed twice, and one commit fails, which costs time.',
    SINGLE_WRITER,
  );
}
