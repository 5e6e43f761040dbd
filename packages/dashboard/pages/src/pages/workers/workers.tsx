import { useWorkers } from '../../api/queries.js';
import { Page } from '../../components/page.js';
import { Empty, Load } from '../../components/load.js';
import { WorkerCard } from './worker-card.js';

export function Workers() {
  const workers = useWorkers();
  return (
    <Page title="Workers">
      <Load from={workers} lines={8}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon="workers" title="No worker is running">
              <p>Jobs wait until a process starts that works on their queue.</p>
            </Empty>
          ) : (
            <ul class="cards">
              {rows.map((worker) => (
                <WorkerCard key={worker.id} worker={worker} />
              ))}
            </ul>
          )
        }
      </Load>
    </Page>
  );
}
