import type { RefObject } from 'preact';

import { useShortcuts } from '../../state/shortcuts.js';

/**
 * Moves the focus between the links of the rows, so that Enter opens a job. Arrow keys scroll the page unless the focus
 * is in a row.
 */
export function useRowShortcuts(list: RefObject<HTMLElement>, toggle: ((id: string) => void) | undefined): void {
  const links = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-job] th a') ?? [])];
  const move = (step: number) => {
    const all = links();
    const row = document.activeElement?.closest('[data-job]');
    const at = all.findIndex((link) => link.closest('[data-job]') === row);
    const target = all[at === -1 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)];
    target?.focus();
    target?.scrollIntoView({ block: 'nearest' });
  };
  const select = () => {
    const id = document.activeElement?.closest<HTMLElement>('[data-job]')?.dataset.job;
    if (id !== undefined) {
      toggle?.(id);
    }
  };
  const down = () => move(1);
  const up = () => move(-1);
  useShortcuts({ j: down, k: up, ...(toggle && { x: select }) });
  useShortcuts({ ArrowDown: down, ArrowUp: up }, '[data-job]');
}
