import { Link, queuePath } from '../components/link.js';
import type { Column } from './table.js';

/** The queue of a row, with a link to its page. */
export const QUEUE_COLUMN: Column<{ readonly queue: string }> = {
  title: 'Queue',
  cell: ({ queue }) => (
    <Link to={queuePath(queue)} class="plain">
      {queue}
    </Link>
  ),
};
