import { Link, pathTo } from '../parts/link.js';
import { Page } from '../parts/page.js';
import { Empty } from '../parts/states.js';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="There is no such page">
        <p>
          <Link to={pathTo('/')}>To the overview</Link>
        </p>
      </Empty>
    </Page>
  );
}
