import { effect, signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

import { saveChoice, loadChoice } from './saved-choice.js';

export type Shortcuts = Readonly<Record<string, () => void>>;

const STORED_AS = 'tablequeue.single-keys';
const OFF = 'off';

/** Whether shortcuts of a single character are on. Voice control and typing errors can trigger them by accident. */
export const areSingleKeysOn = signal(loadChoice(STORED_AS) !== OFF);

effect(() => saveChoice(STORED_AS, areSingleKeysOn.value ? 'on' : OFF));

/**
 * Calls the function of a pressed key, unless the focus is in a field, a dialog is open, or a modifier key is pressed.
 *
 * @param within limits the shortcuts to a focus within this selector. Default: no limit.
 */
export function useShortcuts(keys: Shortcuts, within?: string): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event.target)) {
        return;
      }
      const call = latest.current[event.key];
      const isOff = event.key.length === 1 && !areSingleKeysOn.value;
      if (call && !isOff && (within === undefined || document.activeElement?.closest(within))) {
        event.preventDefault();
        call();
      }
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  document.querySelector('dialog[open]') !== null ||
  (target instanceof HTMLElement && target.closest('input:not([type=checkbox]), select, textarea') !== null);
