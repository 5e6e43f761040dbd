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

/** How long a message is shown, in ms. Problems stay until the user closes them. */
const SHOWN_FOR = 8000;

export function notify(text: string): void {
  const id = addNotice('done', text);
  setTimeout(() => closeNotice(id), SHOWN_FOR);
}

export function notifyProblem(error: unknown): void {
  const { title, detail } = error instanceof RequestError ? error.problem : { title: String(error) };
  addNotice('problem', detail && detail !== title ? `${title}. ${detail}` : title);
}

function addNotice(kind: Notice['kind'], text: string): number {
  const id = (lastId += 1);
  notices.value = [...notices.value.slice(-2), { id, kind, text }];
  return id;
}

function closeNotice(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Always on the page: screen readers do not announce a live region that is added together with its text. */
export function Notices() {
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map(({ id, kind, text }) => (
        <div key={id} class={`notice notice-${kind}`}>
          <Icon name={kind === 'done' ? 'check' : 'alert'} />
          <p>{text}</p>
          <button type="button" class="button-plain" aria-label="Close this message" onClick={() => closeNotice(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}
