import { useQueue } from '../../api/queries.js';
import type { Attempt, JobDetail, QueueRow } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { visible } from '../../format/visible.js';
import { Badge, type Tone } from '../../components/badge.js';
import { CodeFrame } from '../../components/code-frame.js';
import { Moment, Since, Time } from '../../components/time.js';

const TONES: Readonly<Record<Attempt['outcome'], Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  crashed: 'bad',
  interrupted: 'calm',
  running: 'busy',
};

/** The explanation of an attempt without an error. */
const REASONS: Partial<Readonly<Record<Attempt['outcome'], string>>> = {
  crashed: 'Its worker died or lost its lease. The job runs again.',
  interrupted: 'It did not finish: its worker died, or the job was snoozed, returned or cancelled.',
};

/** The history of the job, latest first, with the next event on top. */
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

function Next({ job: { state, runAt, queue, steps } }: { readonly job: JobDetail }) {
  const row = useQueue(state === 'ready' ? queue : undefined).data;
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
  const labels = {
    ready: `Ready: ${nextStepOf(row)}`,
    waiting: steps.length > 0 ? 'Waits: see its steps' : 'Waits for the jobs below',
  };
  return state in labels ? (
    <li class="tone-due">
      <p class="timeline-head">{labels[state as keyof typeof labels]}</p>
    </li>
  ) : null;
}

function nextStepOf(row: QueueRow | undefined): string {
  if (row && row.pausedAt !== null) {
    return 'it runs when its queue is resumed';
  }
  return row?.workers === 0 ? 'no worker works on its queue' : 'the next free worker runs it';
}

function AttemptItem({ attempt }: { readonly attempt: Attempt }) {
  const { attempt: number, startedAt, endedAt, outcome, error, stack } = attempt;
  const at = startedAt ?? endedAt;
  return (
    <li class={`tone-${TONES[outcome]}`}>
      <p class="timeline-head">
        <span>Attempt {number}</span>
        <Badge tone={TONES[outcome]}>{outcome}</Badge>
        {startedAt !== null && (
          <span class="quiet number">
            {endedAt === null ? <Since at={startedAt} /> : `took ${formatDuration(endedAt - startedAt)}`}
          </span>
        )}
        {at !== null && <Moment at={at} />}
      </p>
      {error !== null && <p class="timeline-error">{visible(error)}</p>}
      {REASONS[outcome] && <p class="quiet">{REASONS[outcome]}</p>}
      {stack !== null && (
        <details>
          <summary>Stack</summary>
          <CodeFrame
            text={stack}
            what="stack"
            label={`stack of attempt ${number}`}
            file={`stack-of-attempt-${number}.txt`}
          >
            {visible}
          </CodeFrame>
        </details>
      )}
    </li>
  );
}
