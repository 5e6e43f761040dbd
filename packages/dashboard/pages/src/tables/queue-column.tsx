import { Link, queuePath } from '../components/link.js';
import { Name } from '../components/name.js';
import type { Column } from './table.js';

/** The queue of a row, with a link to its page. */
export const QUEUE_COLUMN: Column<{ readonly queue: string }> = {
  title: 'Queue',
  order: ({ queue }) => queue,
  isAscendingFirst: true,
  cell: ({ queue }) => (
    <Link to={queuePath(queue)} class="plain">
      <Name text={queue} most={22} />
    </Link>
  ),
};
