import { navigate } from 'wouter-preact/use-browser-location';

/** How long a page may take to grow to its former height, in ms. */
const PATIENCE = 5000;
const STORED_AS = 'tablequeue.scroll';
const MOST_STORED = 50;

/** The user scrolls or acts, and must not be moved any more. */
const USER_EVENTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** How far each entry of the browser's history was scrolled, in px. */
const positions = new Map<string, number>();
/** The entry that is shown. */
let shown = '';
let stop: (() => void) | undefined;

/**
 * Restores the scroll position after Back, Forward and a reload. The browser does so before the page has its data, and
 * is then too short.
 */
export function startScrollRestoration(): void {
  history.scrollRestoration = 'manual';
  for (const [entry, top] of load()) {
    positions.set(entry, top);
  }
  shown = nameEntry();
  if (positions.has(shown)) {
    restore();
  }
  addEventListener('popstate', () => {
    // The page is still the one that is left.
    positions.set(shown, scrollY);
    shown = nameEntry();
    restore();
  });
  addEventListener('pagehide', () => {
    positions.set(shown, scrollY);
    save();
  });
}

/** Navigates as the router does, and gives each entry of the history a name. */
export const navigateToEntry: typeof navigate = (to, { replace = false, state = null } = {}) => {
  stop?.();
  if (!replace) {
    positions.set(shown, scrollY);
    shown = newName();
  }
  navigate(to, { replace, state: { ...(state as object | null), entry: shown } });
};

/** Scrolls a new page to its top or to the element that the URL names, unless its position is being restored. */
export function scrollNewPage(): void {
  if (!stop) {
    scrollTo({ top: 0 });
    scrollToAnchor();
  }
}

/** Scrolls to the element that the URL names, unless a position is being restored. */
export function scrollToAnchor(): void {
  if (!stop) {
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}

/** Returns whether the URL names this element. */
export const isAnchor = (id: string): boolean => location.hash === `#${id}`;

/** Returns the name of the current entry. The first entry of a visit gets one. */
function nameEntry(): string {
  const state = history.state as { readonly entry?: string } | null;
  if (state?.entry !== undefined) {
    return state.entry;
  }
  const entry = newName();
  history.replaceState({ ...state, entry }, '');
  return entry;
}

const newName = (): string => Math.random().toString(36).slice(2);

/** Scrolls whenever the page grows, until the user acts. */
function restore(): void {
  stop?.();
  const top = positions.get(shown) ?? 0;
  const watcher = new ResizeObserver(() => scrollTo({ top }));
  const timer = setTimeout(() => stop?.(), PATIENCE);
  stop = () => {
    watcher.disconnect();
    clearTimeout(timer);
    USER_EVENTS.forEach((event) => removeEventListener(event, onUser));
    stop = undefined;
  };
  const onUser = () => stop?.();
  USER_EVENTS.forEach((event) => addEventListener(event, onUser, { passive: true }));
  watcher.observe(document.body);
}

function load(): (readonly [string, number])[] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_AS) ?? '[]') as (readonly [string, number])[];
  } catch {
    // Storage is blocked.
    return [];
  }
}

function save(): void {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify([...positions].slice(-MOST_STORED)));
  } catch {
    // Storage is blocked.
  }
}
