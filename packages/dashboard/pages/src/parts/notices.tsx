import { signal } from '@preact/signals';

import { RequestError } from '../api/request-error.js';
import { Icon } from './icon.js';

interface Notice {
  readonly id: number;
  readonly kind: 'done' | 'problem';
  readonly text: string;
}

const notices = signal<readonly Notice[]>([]);
let lastId = 0;

/** Long enough to be read twice; problems stay until somebody closes them. */
const SHOWN_FOR = 8000;

export function tell(text: string): void {
  const id = add('done', text);
  setTimeout(() => close(id), SHOWN_FOR);
}

export function tellProblem(error: unknown): void {
  const { title, detail } = error instanceof RequestError ? error.problem : { title: String(error) };
  add('problem', detail && detail !== title ? `${title}. ${detail}` : title);
}

function add(kind: Notice['kind'], text: string): number {
  const id = (lastId += 1);
  notices.value = [...notices.value.slice(-2), { id, kind, text }];
  return id;
}

function close(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** There from the start, because a live region that comes with its text is not read out. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice notice-${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'alert'} />
          <p>{text}</p>
          <button type="button" class="button-plain" aria-label="Close this message" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
