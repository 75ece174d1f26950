/** Where to start: a request through the gateway, and demos of the views. */
import { hashOf } from '../../lib/shell/router.ts'
import { shownViews } from '../../shell/current-view.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/view.tsx'
import { SendThrough } from '../request/send-through.tsx'

interface Demo {
  view: string
  icon: IconName
  title: string
  text: string
  params?: Record<string, string>
}

const DEMOS: readonly Demo[] = [
  {
    view: 'chaos',
    icon: 'chaos',
    title: 'Break an upstream',
    text: 'Send load, and watch retries, limits and circuit breakers of the gateway.',
  },
  {
    view: 'ai',
    icon: 'ai',
    title: 'Stream from a model',
    text: 'The same prompt directly and through the gateway, with the frames on the wire.',
  },
  {
    view: 'mcp',
    icon: 'mcp',
    title: 'Call an MCP tool',
    text: 'Connect, call tools, and see each JSON-RPC message with its headers.',
  },
  {
    view: 'explorer',
    icon: 'explorer',
    title: 'Try an endpoint',
    text: 'Every endpoint with working examples, faults on demand and curl.',
    params: { path: '/echo' },
  },
]
const SHOWN_DEMOS = 3

export function GatewayPanel() {
  return (
    <Panel title="Send through my gateway" class="overview-gateway">
      <p class="hint">See in one click what the gateway adds, changes and removes.</p>
      <SendThrough />
    </Panel>
  )
}

export function DemosPanel() {
  const shown = DEMOS.filter(({ view }) => shownViews.value.some(({ key }) => key === view)).slice(0, SHOWN_DEMOS)
  return (
    <Panel title="Start a demo" class="overview-demos">
      <ul class="demo-list">
        {shown.map(({ view, icon, title, text, params }) => (
          <li key={view}>
            <a href={hashOf(view, params)}>
              <Icon name={icon} />
              <span>
                <strong>{title}</strong>
                <span class="hint">{text}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
