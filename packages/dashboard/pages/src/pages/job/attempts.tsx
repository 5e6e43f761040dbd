import type { Attempt, JobDetail } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { visible } from '../../format/visible.js';
import { Badge, type Tone } from '../../components/badge.js';
import { CodeFrame } from '../../components/code-frame.js';
import { DocsLink } from '../../components/docs-link.js';
import { Moment, Since } from '../../components/time.js';
import { NextEvent } from './next-event.js';

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
      <NextEvent job={job} />
      {attempts.map((attempt, index) => (
        <AttemptItem key={attempt.attempt} attempt={attempt} isUnhandled={index === 0 && mayLackHandler(job)} />
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

/**
 * Returns whether no worker may be able to run the job: it is due again, and no attempt has failed. A durable job that
 * waits in a step is due again for that reason.
 */
const mayLackHandler = ({ state, attempt, failures, steps }: JobDetail): boolean =>
  state === 'scheduled' && attempt > 0 && failures === 0 && steps.every((step) => step.state !== 'open');

interface AttemptItemProps {
  readonly attempt: Attempt;
  /** Whether its worker perhaps could not run the job. */
  readonly isUnhandled: boolean;
}

function AttemptItem({ attempt, isUnhandled }: AttemptItemProps) {
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
      {REASONS[outcome] && (
        <p class="quiet">
          {REASONS[outcome]}
          {outcome === 'interrupted' && isUnhandled && <Unhandled />}
        </p>
      )}
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

const Unhandled = () => (
  <>
    {' Or its worker could not run it: no handler for it, a newer payload version, or an unknown codec. '}
    <DocsLink page="operate/troubleshooting.md#no-handler">What to do</DocsLink>
  </>
);
