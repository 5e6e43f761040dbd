/** Paths in a view box of 24 by 24, stroked in the color of the text. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  jobs: 'M4 6h16M4 12h16M4 18h10',
  workers: 'M7 7h10v10H7zM10 3v4M14 3v4M10 17v4M14 17v4M3 10h4M3 14h4M17 10h4M17 14h4',
  recurring: 'M4 12a8 8 0 0 1 14-5.3L20 9M20 4v5h-5M20 12a8 8 0 0 1-14 5.3L4 15M4 20v-5h5',
  events: 'M4 12h5M9 12l6-6h5M9 12l6 6h5M17 3l3 3-3 3M17 15l3 3-3 3',
  health: 'M3 12h4l3-7 4 14 3-7h4',
  audit: 'M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h5',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  alert: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  critical: 'M8.5 3h7L21 8.5v7L15.5 21h-7L3 15.5v-7zM12 8v5M12 16v.5',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8v.5',
  close: 'M6 6l12 12M18 6L6 18',
  pause: 'M9 5v14M15 5v14',
  play: 'M7 5l12 7-12 7z',
  retry: 'M20 11a8 8 0 1 0-2.3 6.3M20 5v6h-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  download: 'M12 4v11M7 10.5l5 5 5-5M4 20h16',
  next: 'M9 6l6 6-6 6',
  previous: 'M15 6l-6 6 6 6',
  up: 'M7 14l5-5 5 5',
  down: 'M7 10l5 5 5-5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4.5 4.5',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  keyboard: 'M3 7h18v11H3zM7 11h.5M11 11h.5M15 11h.5M8 15h8',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  filter: 'M4 6h16M7 12h10M10 18h4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
