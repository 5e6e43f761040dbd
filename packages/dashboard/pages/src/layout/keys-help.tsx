import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import { hasSingleKeys, useKeys } from '../parts/keys.js';
import { pathTo } from '../parts/link.js';
import { DESTINATIONS } from './navigation.js';

const LISTED: readonly (readonly [readonly string[], string])[] = [
  [['1', '6'], 'The pages, from Overview to Audit'],
  [['/'], 'Search jobs'],
  [['j'], 'Next job'],
  [['k'], 'Previous job'],
  [['↓', '↑'], 'The same, from a job on'],
  [['x'], 'Select the job, or no longer'],
  [['Enter'], 'Open the job'],
  [['Esc'], 'Close a dialog; select nothing'],
  [['?'], 'This list'],
];

export function KeysHelp() {
  const [isOpen, setOpen] = useState(false);
  const [location, navigate] = useLocation();
  useKeys({
    '?': () => setOpen(true),
    ...(location !== '/jobs' && { '/': () => navigate(pathTo('/jobs', { focus: 'search' })) }),
    ...Object.fromEntries(DESTINATIONS.map(({ path }, index) => [String(index + 1), () => navigate(pathTo(path))])),
  });
  return (
    <>
      <button
        type="button"
        class="button-plain"
        aria-label="Keys"
        title={hasSingleKeys.value ? 'Keys (?)' : 'Keys'}
        onClick={() => setOpen(true)}
      >
        <Icon name="keyboard" />
      </button>
      {isOpen && (
        <Dialog title="Keys" close={() => setOpen(false)}>
          <dl class="keys">
            {LISTED.map(([keys, does]) => (
              <div key={does}>
                <dt>
                  {keys.map((key, index) => (
                    <span key={key}>
                      {index > 0 && (key === '6' ? ' to ' : ' or ')}
                      <kbd>{key}</kbd>
                    </span>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
          <label class="switch">
            <input
              type="checkbox"
              checked={hasSingleKeys.value}
              onChange={({ currentTarget }) => {
                hasSingleKeys.value = currentTarget.checked;
              }}
            />
            Letters, digits and signs do what is said here
          </label>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => setOpen(false)}>
              Close
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
