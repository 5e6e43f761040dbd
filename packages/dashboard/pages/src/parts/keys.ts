import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { remember, remembered } from './remember.js';

export type Keys = Readonly<Record<string, () => void>>;

const STORED_AS = 'tablequeue.single-keys';
const OFF = 'off';

/** Whether letters, digits and signs do something: to whoever speaks to the computer, or slips, they do it unasked. */
export const hasSingleKeys = signal(remembered(STORED_AS) !== OFF);

effect(() => remember(STORED_AS, hasSingleKeys.value ? 'on' : OFF));

/**
 * Calls what belongs to a key, unless somebody is typing, a dialog is open, or the key belongs to the browser.
 *
 * @param within only where the focus is in an element of this selector. Default: anywhere.
 */
export function useKeys(keys: Keys, within?: string): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target)) {
        return;
      }
      const call = latest.current[event.key];
      const isOff = event.key.length === 1 && !hasSingleKeys.value;
      if (call && !isOff && (within === undefined || document.activeElement?.closest(within))) {
        event.preventDefault();
        call();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

const isTaken = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLElement && target.closest('input:not([type=checkbox]), select, textarea') !== null);
