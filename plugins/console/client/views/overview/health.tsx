/** Health of the instance, with a switch, and its ports. */
import { call } from '../../lib/instance/api.ts'
import { useAction } from '../../lib/shell/hooks.ts'
import { refresh, type Status } from '../../lib/instance/status.ts'
import { Switch } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/view.tsx'

/** Switches the status that `GET /health` returns. */
export function HealthSwitch({ facts }: { facts: Status }) {
  const change = useAction(async (healthy: boolean) => {
    await call(`health/${healthy ? 'healthy' : 'unhealthy'}`, { method: 'POST', admin: true })
    await refresh()
  })
  return (
    <>
      <div class="overview-health">
        <Switch
          label="Healthy"
          checked={facts.healthy}
          busy={change.isRunning}
          onChecked={healthy => void change.run(healthy)}
        />
        <p class="hint">
          <code>GET /health</code> returns {facts.healthy ? '200' : '503, so load balancers stop sending traffic here'}.
        </p>
      </div>
      {change.error && <Notice kind="bad">{change.error}</Notice>}
    </>
  )
}

export function HealthPanel({ facts }: { facts: Status }) {
  const port = (number: number | null) =>
    number === null ? <span class="quiet-text">not listening</span> : <code>{number}</code>
  return (
    <Panel title="Health">
      <HealthSwitch facts={facts} />
      <h3>Ports</h3>
      <Facts
        items={[
          ['HTTP', port(facts.ports.http)],
          ['HTTPS', port(facts.ports.https)],
          ['gRPC', port(facts.ports.grpc)],
        ]}
      />
    </Panel>
  )
}
