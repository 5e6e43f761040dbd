import { useOverview } from '../../api/queries.js';
import type { Attempt, JobDetail, QueueRow } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { Badge, type Tone } from '../../parts/badge.js';
import { Copy } from '../../parts/copy.js';
import { Moment, Since, Time } from '../../parts/time.js';

const TONES: Readonly<Record<Attempt['outcome'], Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  crashed: 'bad',
  'broken-off': 'calm',
  running: 'busy',
};

/** What is to be said of an attempt that has no error of its own. */
const REASONS: Partial<Readonly<Record<Attempt['outcome'], string>>> = {
  crashed: 'Its worker died, or lost its lease, while it ran. The job runs again.',
  'broken-off': 'It came to no end: its worker died, or it was put off, handed back or cancelled.',
};

/** What happened to the job, the latest first, with what comes next on top. */
export function Attempts({ job }: { readonly job: JobDetail }) {
  const attempts = [...job.attempts].sort((one, other) => other.attempt - one.attempt);
  return (
    <ol class="timeline">
      <Next job={job} />
      {attempts.map((attempt) => (
        <AttemptItem key={attempt.attempt} attempt={attempt} />
      ))}
      <li class="tone-calm">
        <p class="timeline-head">
          <span>Enqueued</span>
          <Moment at={job.createdAt} />
        </p>
      </li>
    </ol>
  );
}

function Next({ job: { state, runAt, queue } }: { readonly job: JobDetail }) {
  const row = useOverview().data?.queues.find((known) => known.queue === queue);
  if (state === 'scheduled') {
    return (
      <li class="tone-later">
        <p class="timeline-head">
          <span>
            Due <Time at={runAt} />
          </span>
          <Moment at={runAt} />
        </p>
      </li>
    );
  }
  const words = { ready: `Ready: ${whoTakesIt(row)}`, waiting: 'Waits for the jobs below' };
  return state in words ? (
    <li class="tone-due">
      <p class="timeline-head">{words[state as keyof typeof words]}</p>
    </li>
  ) : null;
}

function whoTakesIt(row: QueueRow | undefined): string {
  if (row && row.pausedAt !== null) {
    return 'taken when its queue is resumed';
  }
  return row?.workers === 0 ? 'no worker works on its queue' : 'the next free worker takes it';
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const { attempt: number, startedAt, endedAt, outcome, error, stack } = attempt;
  const at = startedAt ?? endedAt;
  return (
    <li class={`tone-${TONES[outcome]}`}>
      <p class="timeline-head">
        <span>Attempt {number}</span>
        <Badge tone={TONES[outcome]}>{outcome.replace('-', ' ')}</Badge>
        {startedAt !== null && (
          <span class="quiet number">
            {endedAt === null ? <Since at={startedAt} /> : `took ${formatDuration(endedAt - startedAt)}`}
          </span>
        )}
        {at !== null && <Moment at={at} />}
      </p>
      {error !== null && <p class="timeline-error">{error}</p>}
      {REASONS[outcome] && <p class="quiet">{REASONS[outcome]}</p>}
      {stack !== null && (
        <details>
          <summary>Stack</summary>
          <div class="code-frame">
            <pre tabIndex={0} aria-label={`Stack of attempt ${number}`}>
              {stack}
            </pre>
            <Copy text={stack} what="stack" />
          </div>
        </details>
      )}
    </li>
  );
}
