import { useMembers } from '../api/queries.js';
import { STATES, capitalize } from '../format/labels.js';
import { visible } from '../format/visible.js';
import { useParameters } from '../state/parameters.js';
import { Link, groupPath } from '../components/link.js';
import { Empty, Load } from '../components/load.js';
import { Page } from '../components/page.js';
import { ShowMore } from '../components/show-more.js';
import { OUTCOMES } from './job/group-members.js';
import { JobLinks } from './job/job-links.js';

/** The members of a group that have one outcome. Graphs lead here. */
export function GroupPage({ id }: { readonly id: string }) {
  const { parameters } = useParameters();
  const outcome = OUTCOMES.find((known) => known === parameters.get('outcome')) ?? 'failed';
  const state = STATES.find((known) => known === parameters.get('state'));
  const name = parameters.get('name') ?? undefined;
  const members = useMembers(id, { outcome, name, state });
  return (
    <Page title="Members of a group">
      <p class="job-id">
        <code>{visible(id)}</code>
      </p>
      <nav class="tabs" aria-label="Outcomes">
        <ul>
          {OUTCOMES.map((each) => (
            <li key={each}>
              <Link to={groupPath(id, { outcome: each })} isCurrent={each === outcome}>
                {capitalize(each)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {(name !== undefined || state !== undefined) && (
        <p class="graph-note">
          Only {name === undefined ? 'jobs' : visible(name)}
          {state && `, ${state}`}. <Link to={groupPath(id, { outcome })}>Show all</Link>
        </p>
      )}
      <Load from={members} lines={6}>
        {({ pages }) => {
          const jobs = pages.flatMap((page) => page.members);
          return (
            <div class="graph-note">
              {jobs.length === 0 && !members.hasNextPage ? (
                <Empty title={`No ${outcome} members`}>
                  <p>Pruned jobs are not listed.</p>
                </Empty>
              ) : (
                <JobLinks jobs={jobs} />
              )}
              <ShowMore from={members} />
            </div>
          );
        }}
      </Load>
    </Page>
  );
}
