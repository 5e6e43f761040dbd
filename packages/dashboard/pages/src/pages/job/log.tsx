import { Fragment } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useJobLog } from '../../api/job-log.js';
import type { JobDetail, JobLogLine } from '../../contract.js';
import { Moment } from '../../components/time.js';
import { Section } from '../../components/section.js';
import { isLive } from '../../format/labels.js';
import { visible } from '../../format/visible.js';

/** How far from its end a log still follows new lines, in pixels. */
const NEAR = 40;

/** How many attempts are shown at first: the latest, because an error is in the last one. */
const LATEST = 5;

/** What the handler has logged; nothing where it has logged nothing. */
export function Log({ job }: { readonly job: JobDetail }) {
  const [first, setFirst] = useState(() => Math.max(1, job.attempt - LATEST + 1));
  const { data, isPlaceholderData } = useJobLog(job.id, isLive(job.state), first);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const lines = data?.lines ?? [];
  useLayoutEffect(() => {
    if (frame.current && isAtEnd.current) {
      frame.current.scrollTop = frame.current.scrollHeight;
    }
  }, [lines.length]);
  const isEmpty = data?.lines.length === 0;
  // Perhaps only earlier attempts have logged.
  useEffect(() => {
    if (isEmpty) {
      setFirst(1);
    }
  }, [isEmpty]);
  if (lines.length === 0) {
    return null;
  }
  return (
    <Section
      id="log"
      title="Log"
      beside={
        (first > 1 || isPlaceholderData) && (
          <button
            type="button"
            class="button button-small"
            disabled={isPlaceholderData}
            onClick={() => {
              isAtEnd.current = false;
              setFirst(1);
            }}
          >
            Earlier attempts
          </button>
        )
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
