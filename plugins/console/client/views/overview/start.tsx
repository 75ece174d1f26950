/** Where to start: a request through the gateway, and demos of the views. */
import { hashOf } from '../../lib/shell/router.ts'
import { send } from '../../lib/instance/gateway.ts'
import { enabledPaths } from '../../lib/instance/status.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { shownViews } from '../../shell/current-view.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/view.tsx'
import { SendThrough } from '../request/send-through.tsx'

interface Demo {
  view: string
  icon: IconName
  title: string
  text: string
  /** What to do in the view to see the effect. */
  action: string
  params: Record<string, string>
  /** Runs on the click. */
  prepare?(): void
}

/** The demos for this instance and gateway. Each opens a state in which one key press shows the effect. */
function demosOf(paths: readonly string[], gateway: string | null): readonly Demo[] {
  return [
    {
      view: 'chaos',
      icon: 'chaos',
      title: 'Break an upstream',
      text: paths.includes('/flaky')
        ? `It answers 20 requests, then fails. See retries, limits and circuit breakers${gateway === null ? ' of your gateway' : ` of ${gateway}`}.`
        : 'Every third request fails. See retries, limits and circuit breakers of the gateway.',
      action: 'Press s to start',
      params: {
        ...(paths.includes('/flaky') ? { path: '/flaky/after/20' } : { path: '/echo', fail: '503:33' }),
        n: '300',
        rate: '50',
      },
      // Otherwise the second run of the demo begins with an upstream that fails.
      ...(paths.includes('/flaky') && { prepare: () => void resetCounters() }),
    },
    {
      view: 'ai',
      icon: 'ai',
      title: 'Stream from a model',
      text:
        gateway === null
          ? 'The same prompt to two models side by side, with the frames on the wire.'
          : `The same prompt directly and through ${gateway}, with the frames on the wire.`,
      action: 'Press Enter to send',
      params: { compare: 'gateway', prompt: 'Write a long essay about gateways.' },
    },
    {
      view: 'mcp',
      icon: 'mcp',
      title: 'Call an MCP tool',
      text: 'See the call, its result, and each JSON-RPC message with its headers.',
      action: 'Press Enter to call it',
      params: { server: '/mcp', kind: 'tool', name: 'add', args: '{"a":2,"b":3}' },
    },
    {
      view: 'explorer',
      icon: 'explorer',
      title: 'Try an endpoint',
      text: 'Every endpoint with working examples, faults on demand and curl.',
      action: 'Press Send',
      params: { path: '/echo' },
    },
  ]
}
const SHOWN_DEMOS = 3

/** On the way that the demo takes, since a gateway may be another client, with its own counters. */
async function resetCounters(): Promise<void> {
  try {
    await send({ method: 'POST', path: '/flaky/reset?scope=session', isLookUp: true })
  } catch {
    /* the load test reports what is wrong with the way */
  }
}

export function GatewayPanel() {
  return (
    <Panel title="Send through my gateway" class="overview-gateway">
      <p class="hint">See in one click what the gateway adds, changes and removes.</p>
      <SendThrough />
    </Panel>
  )
}

export function DemosPanel() {
  const demos = demosOf(enabledPaths.value ?? [], activeGateway()?.name ?? null)
  const shown = demos.filter(({ view }) => shownViews.value.some(({ key }) => key === view)).slice(0, SHOWN_DEMOS)
  return (
    <Panel title="Start a demo" class="overview-demos">
      <ul class="demo-list">
        {shown.map(({ view, icon, title, text, action, params, prepare }) => (
          <li key={view}>
            <a href={hashOf(view, params)} onClick={prepare}>
              <Icon name={icon} />
              <span>
                <strong>{title}</strong>
                <span class="hint">{text}</span>
                <span class="demo-action">{action}</span>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
