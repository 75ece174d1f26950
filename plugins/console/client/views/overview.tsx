/** The instance at a glance: traffic, where to start, health, plugins, usage of the plan, base URLs, configuration. */
import { outage, status } from '../lib/instance/status.ts'
import { Loading, Notice } from '../ui/notice.tsx'
import { formatTime } from '../lib/protocol/http.ts'
import { ViewHeader } from '../ui/view.tsx'
import { BaseUrls } from './overview/base-urls.tsx'
import { Configuration } from './overview/configuration.tsx'
import { HealthPanel } from './overview/health.tsx'
import { InstancePanel } from './overview/instance.tsx'
import { PlanPanel } from './overview/plan.tsx'
import { PluginsPanel } from './overview/plugins.tsx'
import { DemosPanel, GatewayPanel } from './overview/start.tsx'
import { TrafficPanel } from './overview/traffic.tsx'

export default function Overview() {
  const facts = status.value
  const gone = outage.value
  return (
    <>
      <ViewHeader title="Overview" />
      {gone !== null && facts !== null && (
        <Notice kind="bad" title={`No response since ${formatTime(new Date(gone.since).toISOString()).slice(0, 8)}`}>
          All values below are from before.
        </Notice>
      )}
      {facts === null ? (
        gone === null && <Loading />
      ) : (
        <div class="overview-grid">
          <TrafficPanel />
          <GatewayPanel />
          <DemosPanel />
          <InstancePanel facts={facts} />
          <HealthPanel facts={facts} />
          <PlanPanel />
          <PluginsPanel />
          <div class="overview-side">
            <BaseUrls facts={facts} />
            <Configuration />
          </div>
        </div>
      )}
    </>
  )
}
