import type { Check } from '../../check.js';
import type { ExaminedServer } from '../../examined.js';
import { ok, problem, warning } from '../../finding.js';

const ONE_WRITER = 'Send all traffic of the queue to one node; the others stand by.';

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
      return globals.get('group_replication_single_primary_mode') === 'ON'
        ? ok('Group Replication with a single primary, which this is')
        : warning(
            'Group Replication with several primaries',
            'Row locks and named locks are not known to the other primaries: jobs may be claimed there and rolled back at the commit.',
            ONE_WRITER,
            'SELECT group_replication_switch_to_single_primary_mode();',
          );
    }
    return ok('one server that takes writes, no cluster seen');
  },
};

function galera(status: ExaminedServer['status']) {
  const size = status.get('wsrep_cluster_size');
  if (status.get('wsrep_ready') !== 'ON') {
    return problem(
      `Galera, ${size} nodes, not ready`,
      'The node is not part of the primary component and refuses statements.',
    );
  }
  return warning(
    `Galera, ${size} nodes`,
    'Row locks are not known to the other nodes, named locks to none: with several writers jobs are claimed twice and rolled back at the commit.',
    ONE_WRITER,
  );
}
