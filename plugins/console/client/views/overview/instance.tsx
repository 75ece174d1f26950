/** Facts about the instance. */
import { formatDuration, formatNumber } from '../../lib/protocol/http.ts'
import type { Status } from '../../lib/instance/status.ts'
import { shortId } from '../../lib/instance/short-id.ts'
import { CopyButton } from '../../ui/button.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Meter } from '../../ui/meter.tsx'
import { Facts, Panel } from '../../ui/view.tsx'

export function InstancePanel({ facts }: { facts: Status }) {
  const { inspector } = facts
  return (
    <Panel title="Instance">
      <Facts
        items={[
          [
            'Instance',
            <span key="id" class="overview-id">
              <strong title={facts.instance_id}>{shortId(facts.instance_id)}</strong>
              <CopyButton small kind="quiet" iconOnly text={facts.instance_id}>
                Copy instance ID
              </CopyButton>
            </span>,
          ],
          [
            'Version',
            <>
              {facts.version}
              {facts.git_sha && (
                <>
                  {' '}
                  <code>{facts.git_sha.slice(0, 10)}</code>
                </>
              )}
            </>,
          ],
          ['Host', facts.hostname],
          [
            'Uptime',
            <span key="up" title={`since ${facts.started_at}`}>
              {formatDuration(facts.uptime_seconds)}
            </span>,
          ],
          [
            'Mode',
            <span key="mode" class="actions">
              {facts.public_mode ? <Badge tone="info">public</Badge> : <Badge>private</Badge>}
              {facts.load_mode && <Badge tone="warn">load: nothing is captured</Badge>}
              {facts.hosted_mode && <Badge tone="info">hosted</Badge>}
              <Badge tone={facts.control_auth === 'open' ? 'neutral' : 'good'}>
                control plane: {facts.control_auth}
              </Badge>
              {facts.admin_token_configured && <Badge tone="good">admin token</Badge>}
            </span>,
          ],
        ]}
      />
      <Meter
        label="Event loop"
        value={Math.round(facts.event_loop.utilization * 100)}
        max={100}
        text={showLoad(facts.event_loop)}
      />
      <Meter
        label="Inspector"
        value={inspector.stored}
        max={inspector.capacity}
        text={`${formatNumber(inspector.stored)} of ${formatNumber(inspector.capacity)} stored, ${formatNumber(inspector.total_captured)} captured`}
      />
    </Panel>
  )
}

function showLoad({ utilization, busiest, delay_p99_ms }: Status['event_loop']): string {
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const delay = delay_p99_ms === null ? '' : `, timers up to ${formatNumber(Math.round(delay_p99_ms))} ms late`
  return `${percent(utilization)} busy in the last second, at most ${percent(busiest)} in the last minute${delay}`
}
