import { connection } from '../api/live.js';
import { formatClockWithSeconds } from '../format/times.js';

const SAYS = {
  connecting: ['Connecting', 'Waiting for the first figures.'],
  live: ['Live', 'The server sends new figures as they come.'],
  polling: ['Polling', 'Events of the server do not come through, so figures are asked for every 5 seconds.'],
} as const;

export function ConnectionNote() {
  const state = connection.value;
  const [words, title] =
    state.kind === 'disconnected'
      ? [
          `Disconnected since ${formatClockWithSeconds(state.since)}`,
          'Figures are old: the server does not answer, or wants you to sign in again.',
        ]
      : SAYS[state.kind];
  return (
    <p class={`connection connection-${state.kind}`} title={title} role="status">
      <span class="connection-dot" aria-hidden="true" />
      {words}
    </p>
  );
}
