import { executeRead, findMembers, uuidFromBytes, uuidToBytes } from '@tablequeue/typeorm/internal';

import { route } from '../../api/route.js';
import { JobState, MemberOutcome, MemberPage } from '../../contract/index.js';
import { UUID, described, integer, text } from '../../contract/json-schema.js';

const PAGE = 50;

export const listMembers = route({
  name: 'listMembers',
  method: 'GET',
  path: 'groups/:group/members',
  summary: 'The members of a group with one outcome, page by page; none for a group that does not exist',
  params: { group: described(UUID, 'the id of the group') },
  query: {
    required: { outcome: MemberOutcome },
    optional: {
      name: described(
        text(128),
        'only jobs of this definition; a page can be short or empty then, and `next` continues',
      ),
      state: described(JobState, 'only jobs of this state, as for `name`'),
      cursor: described(UUID, 'the `next` of the previous page'),
      limit: described(integer(1, 200), `jobs per page; default: ${PAGE}`),
    },
  },
  response: MemberPage,
  run: async ({ database: { queue, reads }, params: { group }, query }) => {
    const { outcome, name, state, cursor, limit = PAGE } = query;
    const { members, next } = await reads.getOrRead(['members', group, outcome, cursor, limit], () =>
      executeRead(queue.engine, 'list members of a group', (dialect) =>
        findMembers(
          dialect,
          uuidToBytes(group),
          outcome === 'pending' ? 'open' : outcome,
          cursor === undefined ? undefined : uuidToBytes(cursor),
          limit,
        ),
      ),
    );
    return {
      members: members
        .filter((job) => (name ?? job.name) === job.name && (state ?? job.state) === job.state)
        .map((job) => ({ id: job.id, name: job.name, state: job.state })),
      next: next ? uuidFromBytes(next) : null,
    };
  },
});
