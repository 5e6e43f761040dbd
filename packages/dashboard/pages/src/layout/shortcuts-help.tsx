import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';

import { Dialog } from '../dialogs/dialog.js';
import { Icon } from '../components/icon.js';
import { areSingleKeysOn, useShortcuts } from '../state/shortcuts.js';
import { pathTo } from '../components/link.js';
import { DESTINATIONS } from './navigation.js';

const LAST_PAGE = String(DESTINATIONS.length);

const LISTED: readonly (readonly [readonly string[], string])[] = [
  [['1', LAST_PAGE], `The pages, from ${DESTINATIONS.at(0)?.name} to ${DESTINATIONS.at(-1)?.name}`],
  [['/'], 'Search jobs'],
  [['j'], 'Next job'],
  [['k'], 'Previous job'],
  [['↓', '↑'], 'Next or previous job, if one has the focus'],
  [['x'], 'Select or deselect the job'],
  [['Enter'], 'Open the job'],
  [['Esc'], 'Close a dialog; clear the selection'],
  [['?'], 'This list'],
];

export function ShortcutsHelp() {
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  useShortcuts({
    '?': () => setOpen(true),
    ...Object.fromEntries(DESTINATIONS.map(({ path }, index) => [String(index + 1), () => navigate(pathTo(path))])),
  });
  return (
    <>
      <button
        type="button"
        class="button-plain"
        aria-label="Keyboard shortcuts"
        title={areSingleKeysOn.value ? 'Keyboard shortcuts (?)' : 'Keyboard shortcuts'}
        onClick={() => setOpen(true)}
      >
        <Icon name="keyboard" />
      </button>
      {isOpen && (
        <Dialog title="Keyboard shortcuts" close={() => setOpen(false)}>
          <dl class="keys">
            {LISTED.map(([keys, does]) => (
              <div key={does}>
                <dt>
                  {keys.map((key, index) => (
                    <span key={key}>
                      {index > 0 && (key === LAST_PAGE ? ' to ' : ' or ')}
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
              checked={areSingleKeysOn.value}
              onChange={({ currentTarget }) => {
                areSingleKeysOn.value = currentTarget.checked;
              }}
            />
            Turn on shortcuts of a single character
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
