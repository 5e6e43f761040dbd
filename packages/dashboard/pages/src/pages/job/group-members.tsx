import { useState } from 'preact/hooks';

import { useMembers } from '../../api/queries.js';
import type { JobGroup, MemberOutcome } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Load } from '../../components/load.js';
import { ShowMore } from '../../components/show-more.js';
import { JobLinks } from './job-links.js';

export const OUTCOMES: readonly MemberOutcome[] = ['failed', 'cancelled', 'expired', 'pending', 'succeeded'];

/** Some members of a group, and buttons for all that have one outcome. */
export function Members({ group }: { readonly group: JobGroup }) {
  const { jobs, members } = group;
  const [outcome, choose] = useState<MemberOutcome | undefined>(undefined);
  const isWhole = jobs <= members.length;
  return (
    <>
      {!isWhole && members.length > 0 && (
        <div class="segments" role="group" aria-label="Members of the group">
          <button type="button" aria-pressed={outcome === undefined} onClick={() => choose(undefined)}>
            Some
          </button>
          {OUTCOMES.filter((each) => group[each] > 0).map((each) => (
            <button key={each} type="button" aria-pressed={outcome === each} onClick={() => choose(each)}>
              {formatNumber(group[each])} {each}
            </button>
          ))}
        </div>
      )}
      {outcome === undefined ? <JobLinks jobs={members} /> : <MembersWith group={group.id} outcome={outcome} />}
      {!isWhole && outcome === undefined && (
        <p class="quiet">
          {members.length === 0
            ? 'They were pruned.'
            : `${formatNumber(members.length)} of ${formatNumber(jobs)}, unsuccessful first.`}
        </p>
      )}
    </>
  );
}

function MembersWith({ group, outcome }: { readonly group: string; readonly outcome: MemberOutcome }) {
  const members = useMembers(group, { outcome });
  return (
    <Load from={members} lines={4}>
      {({ pages }) => (
        <>
          <JobLinks jobs={pages.flatMap((page) => page.members)} />
          <ShowMore from={members} />
        </>
      )}
    </Load>
  );
}
