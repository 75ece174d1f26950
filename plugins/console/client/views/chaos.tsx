/** Everything that goes wrong on request: health, faults, flaky endpoints, and a load that shows what a gateway makes of them. */
import { enabledPaths, status } from '../lib/instance/status.ts'
import { Loading } from '../ui/notice.tsx'
import { Panel, ViewHeader } from '../ui/view.tsx'
import { FaultPanel } from './chaos/fault-builder.tsx'
import { FlakyPanel } from './chaos/flaky.tsx'
import { LoadPanel } from './chaos/load-form.tsx'
import { useLoadForm } from './chaos/plan.ts'
import { Results } from './chaos/results.tsx'
import { HealthSwitch } from './overview/health.tsx'

export default function Chaos() {
  const [form, change] = useLoadForm()
  return (
    <>
      <ViewHeader
        title="Chaos and health"
        about="Break things on request, put load on them, see what a gateway makes of it."
      />
      <div class="chaos-grid">
        <div class="chaos-column">
          <LoadPanel form={form} onForm={change} />
          <FaultPanel form={form} onForm={change} />
          <Panel title="Health" class="not-presented">
            {status.value === null ? <Loading /> : <HealthSwitch facts={status.value} />}
          </Panel>
        </div>
        <div class="chaos-column">
          <Results />
          {enabledPaths.value?.includes('/flaky') && <FlakyPanel onUse={path => change({ path, method: 'GET' })} />}
        </div>
      </div>
    </>
  )
}
