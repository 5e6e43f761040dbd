import type { WorkerRow } from '../../contract.js';
import { formatDuration } from '../../format/durations.js';
import { formatBytes } from '../../format/numbers.js';
import { Badge } from '../../components/badge.js';
import { Name } from '../../components/name.js';
import { Fact } from '../../components/section.js';
import { Time } from '../../components/time.js';

/** Shows the versions, the memory and the event loop of the process of a worker. */
export function ProcessFacts({ worker }: { readonly worker: WorkerRow }) {
  const { version, codeVersion, memory, eventLoopDelay, lastBlock } = worker;
  return (
    <>
      {codeVersion !== null && (
        <Fact name="Code" class="number">
          <Name text={codeVersion} most={20} />
        </Fact>
      )}
      <Fact name="Tablequeue" class="number">
        {version}
      </Fact>
      <Fact name="Memory" class="number">
        <span title={`${formatBytes(memory.heapUsed)} of it are used by JavaScript objects`}>
          {formatBytes(memory.rss)}
        </span>
      </Fact>
      <Fact name="Event loop delay" class="number">
        <span title="The longest between its last two renewals of the lease. 99 of 100 callbacks ran sooner than the second time.">
          {formatDuration(eventLoopDelay.max)} max, {formatDuration(eventLoopDelay.p99)} p99
        </span>
      </Fact>
      {lastBlock !== null && (
        <Fact name="Last block">
          <Badge tone="bad" title="The process ran no callbacks: a handler computed, or the CPU was taken away.">
            blocked for {formatDuration(lastBlock.duration)}
          </Badge>{' '}
          <Time at={lastBlock.reportedAt} />
        </Fact>
      )}
    </>
  );
}
