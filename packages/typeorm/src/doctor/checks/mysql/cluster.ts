import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { type Answer, ok, problem, warning } from '../../finding.js';

const SINGLE_WRITER = 'Send all traffic of the queue to one node; the others stand by.';

/** Whether this is one primary server that takes writes: locks are known to one server only. */
export const cluster: Check<ExaminedServer> = {
  name: 'cluster',
  run({ globals, status }) {
    if (globals.get('wsrep_on') === 'ON') {
      return galera(status);
    }
    if (globals.get('read_only') === 'ON' || globals.get('super_read_only') === 'ON') {
      return problem(
        'the server is read-only: a replica, or a primary that was demoted',
        'Nothing can be enqueued, claimed or finished here.',
        'Connect to the primary; on Aurora, to the cluster (writer) endpoint.',
      );
    }
    if (globals.get('group_replication_group_name')) {
      return groupReplication(globals);
    }
    return ok('one server that takes writes, no cluster seen');
  },
};

function groupReplication(globals: ExaminedServer['globals']): Answer {
  if (globals.get('group_replication_single_primary_mode') !== 'ON') {
    return warning(
      'Group Replication with several primaries',
      'Row locks and named locks are not known to the other primaries: jobs may be claimed there and rolled back at the commit.',
      SINGLE_WRITER,
      'SELECT group_replication_switch_to_single_primary_mode();',
    );
  }
  const consistency = globals.get('group_replication_consistency');
  return consistency === 'EVENTUAL'
    ? warning(
        'Group Replication with a single primary, which this is; group_replication_consistency = EVENTUAL',
        'After a failover the new primary answers before it has caught up: what was committed may be missing for a while.',
        "SET PERSIST group_replication_consistency = 'BEFORE_ON_PRIMARY_FAILOVER';",
      )
    : ok(`Group Replication with a single primary, which this is; consistency ${consistency}`);
}

function galera(status: ExaminedServer['status']): Answer {
  const size = Number(status.get('wsrep_cluster_size'));
  const found = `Galera, ${size} ${size === 1 ? 'node' : 'nodes'}`;
  if (status.get('wsrep_ready') !== 'ON') {
    return problem(
      `${found}, not ready: ${status.get('wsrep_cluster_status')}, ${status.get('wsrep_local_state_comment')}`,
      'The node is not part of the primary component, or has not caught up, and refuses statements.',
    );
  }
  if (size < 3) {
    return warning(
      found,
      'When one of two nodes is lost the other has no majority and refuses statements; one alone is no cluster.',
      'Add nodes, or an arbitrator, so that there are three.',
    );
  }
  return warning(
    found,
    'Row locks are not known to the other nodes, named locks to none: with several writers jobs are claimed twice and rolled back at the commit, which costs time.',
    SINGLE_WRITER,
  );
}
