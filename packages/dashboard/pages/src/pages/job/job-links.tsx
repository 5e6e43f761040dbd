import type { JobLink } from '../../contract.js';
import { StateBadge } from '../../components/badge.js';
import { Link, jobPath } from '../../components/link.js';

export const JobLinks = ({ jobs }: { readonly jobs: readonly JobLink[] }) => (
  <ul class="relatives">
    {jobs.map(({ id, name, state }) => (
      <li key={id}>
        <StateBadge state={state} />
        <Link to={jobPath(id)}>{name}</Link>
        <code class="quiet">{id.slice(-6)}</code>
      </li>
    ))}
  </ul>
);
