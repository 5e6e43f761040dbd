import { useRef, useState } from 'preact/hooks';

interface Selected {
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  /** Whether all matching jobs are selected, including other pages. */
  readonly isAll: boolean;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly count: number;
  readonly toggle: (id: string) => void;
  /** Selects all rows up to the one that was toggled before, for a click with Shift. */
  readonly toggleRange: (id: string, listed: readonly string[]) => void;
  readonly set: (ids: readonly string[]) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

/** Keeps the selection of a list. Another list starts with no selection. */
export function useSelection(list: string): Selection {
  const [stored, store] = useState<Selected>({ of: list, ids: new Set(), isAll: false });
  const latest = useRef<string | undefined>(undefined);
  const { ids, isAll } = stored.of === list ? stored : { ids: new Set<string>(), isAll: false };
  const set = (wanted: Iterable<string>, all = false) => store({ of: list, ids: new Set(wanted), isAll: all });
  const toggle = (id: string) => {
    latest.current = id;
    set(ids.has(id) ? [...ids].filter((known) => known !== id) : [...ids, id]);
  };
  return {
    ids,
    isAll,
    count: ids.size,
    toggle,
    toggleRange: (id, listed) => {
      const from = listed.indexOf(latest.current ?? id);
      const to = listed.indexOf(id);
      if (from === -1 || ids.has(id)) {
        toggle(id);
        return;
      }
      latest.current = id;
      set([...ids, ...listed.slice(Math.min(from, to), Math.max(from, to) + 1)]);
    },
    set,
    all: () => set(ids, true),
    clear: () => set([]),
  };
}
