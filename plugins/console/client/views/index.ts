/** The views, in the order of the navigation. To add a view, add a file in this folder and an entry here. */
import type { ComponentType } from 'preact'
import type { Status } from '../lib/instance/status.ts'
import type { IconName } from '../ui/icon.tsx'

export interface View {
  /** The URL hash of the view is `#/<key>`. */
  key: string
  /** Text of the link in the navigation, and the level 1 heading of the view. */
  title: string
  icon: IconName
  /** Digit of the shortcut Alt+<digit>. */
  digit?: string
  /** Whether to show the view, by the paths that enabled plugins serve and the status. Absent: always. */
  shownWhen?(paths: readonly string[], status: Status | null): boolean
  /** Loads the component when the view is first opened. */
  load(): Promise<{ default: ComponentType }>
}

/** Whether an enabled plugin serves exactly this path. */
export const serves = (path: string) => (paths: readonly string[]) => paths.includes(path)

export const views: readonly View[] = [
  { key: 'overview', title: 'Overview', icon: 'overview', digit: '1', load: () => import('./overview.tsx') },
  { key: 'traffic', title: 'Live traffic', icon: 'traffic', digit: '2', load: () => import('./traffic.tsx') },
  {
    key: 'bins',
    title: 'Request bins',
    icon: 'bins',
    digit: '3',
    shownWhen: serves('/bin'),
    load: () => import('./bins.tsx'),
  },
  { key: 'explorer', title: 'API explorer', icon: 'explorer', digit: '4', load: () => import('./explorer.tsx') },
  {
    key: 'ai',
    title: 'AI playground',
    icon: 'ai',
    digit: '5',
    shownWhen: paths => paths.some(path => path.startsWith('/ai/')),
    load: () => import('./ai.tsx'),
  },
  {
    key: 'mcp',
    title: 'MCP inspector',
    icon: 'mcp',
    digit: '6',
    shownWhen: serves('/mcp'),
    load: () => import('./mcp.tsx'),
  },
  {
    key: 'a2a',
    title: 'A2A client',
    icon: 'a2a',
    digit: '7',
    shownWhen: serves('/a2a'),
    load: () => import('./a2a.tsx'),
  },
  { key: 'chaos', title: 'Chaos and health', icon: 'chaos', digit: '8', load: () => import('./chaos.tsx') },
  {
    key: 'demos',
    title: 'Demos',
    icon: 'presenter',
    shownWhen: serves('/_svc/demos'),
    load: () => import('./demos.tsx'),
  },
  {
    key: 'probe',
    title: 'Gateway report',
    icon: 'probe',
    shownWhen: (paths, status) => paths.includes('/_svc/probe') && status?.public_mode === false,
    load: () => import('./probe.tsx'),
  },
  {
    key: 'reports',
    title: 'Reconciliation',
    icon: 'reports',
    shownWhen: serves('/_svc/telemetry'),
    load: () => import('./reports.tsx'),
  },
  { key: 'rules', title: 'Rules', icon: 'rules', load: () => import('./rules.tsx') },
  {
    key: 'tokens',
    title: 'Token lab',
    icon: 'tokens',
    digit: '9',
    shownWhen: serves('/oauth'),
    load: () => import('./tokens.tsx'),
  },
  {
    key: 'mocks',
    title: 'Mocks',
    icon: 'mocks',
    digit: '0',
    shownWhen: serves('/_svc/mocks'),
    load: () => import('./mocks.tsx'),
  },
  {
    key: 'exports',
    title: 'Exports',
    icon: 'exports',
    shownWhen: serves('/export'),
    load: () => import('./exports.tsx'),
  },
  {
    key: 'replicas',
    title: 'Replicas',
    icon: 'replicas',
    shownWhen: (_paths, status) => status !== null && status.state_store !== null,
    load: () => import('./replicas.tsx'),
  },
]
