/** The instance at a glance: traffic, where to start, health, plugins, usage of the plan, base URLs, configuration. */
import { status } from '../lib/instance/status.ts'
import { Loading } from '../ui/notice.tsx'
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
  return (
    <>
      <ViewHeader title="Overview" />
      {facts === null ? (
        <Loading />
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
