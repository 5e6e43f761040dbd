import { useJobSearch } from '../../api/queries.js';
import { Empty, Load } from '../../components/load.js';
import { Page } from '../../components/page.js';
import { ShowMore } from '../../components/show-more.js';
import type { JobSearchPage, JobState } from '../../contract.js';
import { STATES } from '../../format/labels.js';
import { visible } from '../../format/visible.js';
import { useParameters } from '../../state/parameters.js';
import { Table } from '../../tables/table.js';
import { FOUND_COLUMNS } from './columns.js';
import { FoundStates } from './found-states.js';
import { HowFar } from './how-far.js';

/** The jobs of all states that a text was found in. */
export function Search() {
  const { parameters, change } = useParameters();
  const text = parameters.get('text') ?? '';
  const state = STATES.find((known) => known === parameters.get('state'));
  const payload = parameters.get('payload') === 'true';
  const search = useJobSearch(text, state, payload);
  return (
    <Page title="Search" tab={text === '' ? 'Search' : `Search: ${text}`}>
      {text === '' ? (
        <Empty icon="search" title="Search the jobs of all states">
          <p>Enter an id, a key, a unique key or a tenant, or a part of a name or of an error.</p>
        </Empty>
      ) : (
        <>
          <label class="switch">
            <input
              type="checkbox"
              checked={payload}
              onChange={({ currentTarget }) => change({ payload: currentTarget.checked ? 'true' : undefined })}
            />
            Search payloads too
          </label>
          <Load from={search} lines={10}>
            {({ pages }) => (
              <>
                <FoundStates counts={countsOf(pages)} state={state} choose={(chosen) => change({ state: chosen })} />
                <Results text={text} state={state} pages={pages} />
                <HowFar pages={pages} />
                <ShowMore from={search} label="Search on" />
              </>
            )}
          </Load>
        </>
      )}
    </Page>
  );
}

interface ResultsProps {
  readonly text: string;
  readonly state: JobState | undefined;
  readonly pages: readonly JobSearchPage[];
}

function Results({ text, state, pages }: ResultsProps) {
  const rows = pages.flatMap(({ jobs }) => jobs);
  const isComplete = pages.at(-1)?.next === null;
  return rows.length === 0 ? (
    <Empty icon="search" title={`No ${state === undefined ? '' : `${state} `}job found${isComplete ? '' : ' so far'}`}>
      <p>Nothing was found for “{visible(text)}”. Upper and lower case differ.</p>
    </Empty>
  ) : (
    <Table
      caption={`Jobs found for ${visible(text)}`}
      columns={FOUND_COLUMNS}
      rows={rows}
      keyOf={({ id }) => id}
      rowId={({ id }) => id}
    />
  );
}

/** Each page counts what it has found itself. */
function countsOf(pages: readonly JobSearchPage[]): Readonly<Record<JobState, number>> {
  return Object.fromEntries(
    STATES.map((state) => [state, pages.reduce((sum, { counts }) => sum + counts[state].count, 0)]),
  ) as Record<JobState, number>;
}
