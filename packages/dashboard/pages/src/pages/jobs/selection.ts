import { useRef, useState } from 'preact/hooks';

interface Selected {
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  /** Whether all that match are meant, those on other pages too. */
  readonly isAll: boolean;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  readonly count: number;
  readonly toggle: (id: string) => void;
  /** Up to the one that was toggled before, as lists of files do with Shift. */
  readonly toggleRange: (id: string, listed: readonly string[]) => void;
  readonly set: (ids: readonly string[]) => void;
  readonly all: () => void;
  readonly clear: () => void;
}

/** What is selected of a list; of another list nothing is. */
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
