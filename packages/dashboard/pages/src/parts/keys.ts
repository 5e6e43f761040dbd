import { useEffect, useRef } from 'preact/hooks';

export type Keys = Readonly<Record<string, () => void>>;

/** Calls what belongs to a key, unless somebody is typing, a dialog is open, or the key belongs to the browser. */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target)) {
        return;
      }
      const call = latest.current[event.key];
      if (call) {
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
