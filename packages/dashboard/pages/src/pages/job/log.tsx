import { Fragment } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

import { MOST_SHOWN, useJobLog } from '../../api/job-log.js';
import type { JobDetail, JobLogLine } from '../../contract.js';
import { Moment } from '../../components/time.js';
import { Section } from '../../components/section.js';
import { isLive } from '../../format/labels.js';
import { formatNumber } from '../../format/numbers.js';
import { visible } from '../../format/visible.js';

/** How far from its end a log still follows new lines, in pixels. */
const NEAR = 40;

/** What the handler has logged; nothing where it has logged nothing. */
export function Log({ job }: { readonly job: JobDetail }) {
  const { data } = useJobLog(job.id, isLive(job.state));
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lines = data?.lines ?? [];
  useLayoutEffect(() => {
    if (frame.current && isAtEnd.current) {
      frame.current.scrollTop = frame.current.scrollHeight;
    }
  }, [lines.length]);
  if (lines.length === 0) {
    return null;
  }
  return (
    <Section
      id="log"
      title="Log"
      beside={
        lines.length >= MOST_SHOWN && <span class="quiet">The first {formatNumber(MOST_SHOWN)} lines are shown.</span>
      }
    >
      <div
        class="log"
        role="log"
        aria-label="Log of the job"
        tabIndex={0}
        ref={frame}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
        }}
      >
        {lines.map((line, index) => (
          <Fragment key={`${line.attempt} ${line.seq}`}>
            {line.attempt !== lines[index - 1]?.attempt && <p class="log-attempt">Attempt {line.attempt}</p>}
            <Line line={line} />
          </Fragment>
        ))}
      </div>
    </Section>
  );
}

const Line = ({ line: { loggedAt, level, message, fields } }: { readonly line: JobLogLine }) => (
  <p class={`log-line log-${level}`}>
    <Moment at={loggedAt} /> <span class="log-level">{level}</span> <span class="log-text">{visible(message)}</span>
    {fields !== null && <code class="log-fields">{visible(JSON.stringify(fields))}</code>}
  </p>
);
