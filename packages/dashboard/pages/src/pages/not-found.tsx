import { Link, pathTo } from '../components/link.js';
import { Page } from '../components/page.js';
import { Empty } from '../components/load.js';

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty icon="search" title="This page does not exist">
        <p>
          <Link to={pathTo('/')}>To the overview</Link>
        </p>
      </Empty>
    </Page>
  );
}
