import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import type { Attention, Overview } from '../../contract.js';
import { formatNumber } from '../../format/numbers.js';
import { Icon, type IconName } from '../../components/icon.js';
import { Link, pathTo, queuePath } from '../../components/link.js';
import { Moment } from '../../components/time.js';

const ICONS: Readonly<Record<Attention['severity'], IconName>> = {
  critical: 'critical',
  warning: 'alert',
  notice: 'info',
};

/** The number of problems that leave the rest of the page visible. */
const MOST_SHOWN = 6;

/** The problems, above everything else on the page. */
export function AttentionList({ overview: { attention, queues, workers } }: { readonly overview: Overview }) {
  const [isWhole, showWhole] = useState(false);
  if (attention.length === 0) {
    return (
      <section class="calm" aria-label="Needs attention">
        <Icon name="check" />
        <p>
          <b>All good.</b> {counted(queues.length, 'queue')}, {counted(workers, 'worker')}, nothing needs attention.
        </p>
      </section>
    );
  }
  const shown = isWhole ? attention : attention.slice(0, MOST_SHOWN);
  const hidden = attention.length - shown.length;
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" class="unseen">
        Needs attention
      </h2>
      <ul class="attention">
        {shown.map((item) => (
          <li key={`${item.kind}${item.queue}${item.text}`} class={`attention-${item.severity}`}>
            <Icon name={ICONS[item.severity]} />
            <p>
              <span class="unseen">{item.severity}: </span>
              {item.text}
              {item.since !== null && (
                <span class="quiet">
                  {' since '}
                  <Moment at={item.since} />
                </span>
              )}
            </p>
            <Destination item={item} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <button type="button" class="button-link attention-more" onClick={() => showWhole(true)}>
          Show {hidden} more
        </button>
      )}
    </section>
  );
}

function Destination({ item: { kind, queue } }: { readonly item: Attention }) {
  const [path] = useLocation();
  const [to, label] = destinationOf(kind, queue);
  const isHere = to.split('?', 1)[0] === path;
  return isHere ? null : <Link to={to}>{label}</Link>;
}

function destinationOf(kind: Attention['kind'], queue: string | null): readonly [string, string] {
  switch (kind) {
    case 'workers-missing':
    case 'no-workers':
      return [pathTo('/workers'), 'See workers'];
    case 'schedule-missed':
      return [pathTo('/recurring'), 'See schedules'];
    case 'blocked-keys':
      return [pathTo('/blocked-keys'), 'See blocked keys'];
    case 'unhandled-subscriptions':
      return [pathTo('/events'), 'See subscriptions'];
    default:
      // Also for `failing`: the list of failed jobs does not contain retried ones.
      return queue === null ? [pathTo('/jobs'), 'See jobs'] : [queuePath(queue), `See ${queue}`];
  }
}

const counted = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
