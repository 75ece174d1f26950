/** Icons of the console: strokes on a 24 by 24 grid, hidden from screen readers. */

const PATHS = {
  overview: 'M3 12h4l3-8 4 16 3-8h4',
  traffic: 'M4 7h13m0 0-4-4m4 4-4 4M20 17H7m0 0 4-4m-4 4 4 4',
  bins: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  explorer: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM21 21l-5-5',
  ai: 'M12 3l2 6 6 2-6 2-2 6-2-6-6-2 6-2ZM19 16v4M17 18h4',
  mcp: 'M8 4v6M16 4v6M6 10h12v2a6 6 0 0 1-12 0ZM12 18v3',
  a2a: 'M4 5h10v8H8l-4 3ZM14 9h6v10l-3-2h-7v-2',
  chaos: 'M13 3 5 14h6l-1 7 9-12h-6Z',
  tokens: 'M15 9a4 4 0 1 0-3.5 4L14 15h2v2h2v2h3v-3l-6.5-5.5M8 9h.01',
  mocks: 'M12 3 3 8l9 5 9-5ZM3 13l9 5 9-5',
  exports: 'M12 3v12m0 0-4-4m4 4 4-4M4 17v3h16v-3',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5ZM9 19.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.500 1.500M17.500 17.500 19 19M19 5l-1.500 1.500M6.500 17.500 5 19',
  moon: 'M20 14.500A8.500 8.500 0 1 1 9.500 4a6.500 6.500 0 0 0 10.500 10.500Z',
  system: 'M4 5h16v11H4ZM9 20h6M12 16v4',
  menu: 'M4 6h16M4 12h16M4 18h16',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h11v11H9ZM15 9V4H4v11h5',
  check: 'M5 12.500 10 17.500 19.500 7',
  play: 'M7 4v16l13-8Z',
  pause: 'M8 5v14M16 5v14',
  replay: 'M4 12a8 8 0 1 0 3-6.200M4 4v5h5',
  trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13',
  compare: 'M9 4H4v16h5M15 4h5v16h-5M12 2v20',
  pin: 'M9 3h6l-1 6 4 4H6l4-4ZM12 13v8',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM21 21l-5-5',
  warning: 'M12 4 2.500 20h19ZM12 10v4M12 17v.5',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM12 11v5M12 8v.5',
  arrow: 'M5 12h14m0 0-5-5m5 5-5 5',
  rules: 'M4 6h.01M4 12h.01M4 18h.01M9 6h11M9 12h11M9 18h7',
  replicas: 'M4 4h16v6H4zM4 14h16v6H4zM8 7h.01M8 17h.01',
  probe: 'M9 6h11M9 12h11M9 18h11M3 6l1.5 1.5L7 5M3 12l1.5 1.5L7 11M3 18l1.5 1.5L7 17',
  reports: 'M4 5h7v14H4zM13 5h7v14h-7zM6 9h3M6 13h3M15 9h3M15 13h3',
  chevron: 'M9 6l6 6-6 6',
  presenter: 'M4 4h16M5 4v11h14V4M12 15v3M8 21l4-3 4 3M9 11V9M12 11V7M15 11V8',
  plus: 'M12 5v14M5 12h14',
  download: 'M12 3v12m0 0-4-4m4 4 4-4M4 17v3h16v-3',
  edit: 'M4 20h4L19 9l-4-4L4 16ZM13 7l4 4',
  keyboard: 'M3 6h18v12H3ZM7 10h.01M11 10h.01M15 10h.01M17 10h.01M8 14h8',
  send: 'M4 12 20 4l-5 16-3.500-6.500Z',
  stop: 'M6 6h12v12H6Z',
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  )
}
