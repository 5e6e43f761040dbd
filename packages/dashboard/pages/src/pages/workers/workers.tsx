import { useWorkers } from '../../api/queries.js';
import { Empty, Load } from '../../components/load.js';
import { PageLinks } from '../../components/page-links.js';
import { Page } from '../../components/page.js';
import { formatNumber } from '../../format/numbers.js';
import { useParameters } from '../../state/parameters.js';
import { WorkerCard } from './worker-card.js';

export function Workers() {
  const cursor = useParameters().parameters.get('cursor') ?? undefined;
  const page = useWorkers(cursor);
  return (
    <Page title="Workers">
      <Load from={page} lines={8}>
        {({ workers, total, next }) =>
          total === 0 ? (
            <Empty icon="workers" title="No worker is running">
              <p>Jobs wait until a process starts that works on their queue.</p>
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {workers.map((worker) => (
                  <WorkerCard key={worker.id} worker={worker} />
                ))}
              </ul>
              {(cursor !== undefined || next !== null) && (
                <nav class="pager" aria-label="Pages of the list">
                  <p class="quiet">
                    {formatNumber(workers.length)} of {formatNumber(total)} workers, oldest first
                  </p>
                  <PageLinks path="/workers" query={{ cursor }} next={next} />
                </nav>
              )}
            </>
          )
        }
      </Load>
    </Page>
  );
}
