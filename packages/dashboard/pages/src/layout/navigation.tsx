import { useLocation } from 'wouter-preact';

import { useOverview } from '../api/queries.js';
import { formatTotal } from '../format/numbers.js';
import { Icon, type IconName } from '../components/icon.js';
import { Link, pathTo } from '../components/link.js';

interface Destination {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

export const DESTINATIONS: readonly Destination[] = [
  { path: '/', name: 'Overview', icon: 'overview' },
  { path: '/jobs', name: 'Jobs', icon: 'jobs' },
  { path: '/failures', name: 'Failures', icon: 'alert' },
  { path: '/workers', name: 'Workers', icon: 'workers' },
  { path: '/recurring', name: 'Recurring', icon: 'recurring' },
  { path: '/events', name: 'Events', icon: 'events' },
  { path: '/health', name: 'Health', icon: 'health' },
  { path: '/audit', name: 'Audit', icon: 'audit' },
];

export function Navigation() {
  const [location] = useLocation();
  const overview = useOverview().data;
  const count: Record<string, string | undefined> = {
    '/jobs': overview && formatTotal(overview.totals.running),
    '/workers': overview && String(overview.workers),
  };
  return (
    <nav class="navigation" aria-label="Pages">
      <ul>
        {DESTINATIONS.map(({ path, name, icon }) => (
          <li key={path}>
            <Link to={pathTo(path)} isCurrent={isWithin(path, location)}>
              <Icon name={icon} />
              <span>{name}</span>
              {count[path] && (
                <span class="navigation-count number" title={path === '/jobs' ? 'Running now' : undefined}>
                  {count[path]}
                  {path === '/jobs' && <span class="unseen"> running</span>}
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const isWithin = (path: string, location: string): boolean =>
  path === '/' ? location === '/' || location.startsWith('/queues/') : location.startsWith(path);
