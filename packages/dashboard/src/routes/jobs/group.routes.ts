import { executeRead, findMembers, uuidFromBytes, uuidToBytes } from '@tablequeue/typeorm/internal';

import { route } from '../../api/route.js';
import { MemberOutcome, MemberPage } from '../../contract/index.js';
import { UUID, described, integer } from '../../contract/json-schema.js';

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
      cursor: described(UUID, 'the `next` of the previous page'),
      limit: described(integer(1, 200), `jobs per page; default: ${PAGE}`),
    },
  },
  response: MemberPage,
  run: async ({ database: { queue, reads }, params: { group }, query: { outcome, cursor, limit = PAGE } }) => {
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
      members: members.map(({ id, name, state }) => ({ id, name, state })),
      next: next ? uuidFromBytes(next) : null,
    };
  },
});
