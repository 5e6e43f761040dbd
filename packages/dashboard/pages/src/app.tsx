import { Route, Switch } from 'wouter-preact';

import { Layout } from './layout/layout.js';
import { AuditLog } from './pages/audit.js';
import { BlockedKeys } from './pages/blocked-keys.js';
import { Events } from './pages/events.js';
import { Failures } from './pages/failures.js';
import { GraphPage } from './pages/graph/graph-page.js';
import { GroupPage } from './pages/group.js';
import { Health } from './pages/health.js';
import { JobPage } from './pages/job/job.js';
import { Jobs } from './pages/jobs/jobs.js';
import { NotFound } from './pages/not-found.js';
import { OverviewPage } from './pages/overview/overview.js';
import { QueuePage } from './pages/queue/queue.js';
import { Recurring } from './pages/recurring.js';
import { Search } from './pages/search/search.js';
import { Workers } from './pages/workers/workers.js';
import { decodeSegment } from './state/raw-location.js';

export function App() {
  return (
    <Layout>
      <Switch>
        <Route path="/" component={OverviewPage} />
        <Route path="/queues/:queue">{({ queue }) => <QueuePage key={queue} queue={decodeSegment(queue)} />}</Route>
        <Route path="/jobs" component={Jobs} />
        <Route path="/jobs/:id">{({ id }) => <JobPage key={id} id={decodeSegment(id)} />}</Route>
        <Route path="/jobs/:id/graph">{({ id }) => <GraphPage key={id} id={decodeSegment(id)} />}</Route>
        <Route path="/groups/:id">{({ id }) => <GroupPage key={id} id={decodeSegment(id)} />}</Route>
        <Route path="/search" component={Search} />
        <Route path="/blocked-keys" component={BlockedKeys} />
        <Route path="/failures" component={Failures} />
        <Route path="/workers" component={Workers} />
        <Route path="/events" component={Events} />
        <Route path="/recurring" component={Recurring} />
        <Route path="/health" component={Health} />
        <Route path="/audit" component={AuditLog} />
        <Route component={NotFound} />
      </Switch>
    </Layout>
  );
}
