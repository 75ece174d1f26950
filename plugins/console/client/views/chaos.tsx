/** Health switch, fault headers, flaky endpoints, and a load test that shows how a gateway handles them. */
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
      <ViewHeader title="Chaos and health" about="Inject faults, generate load, and see how a gateway handles them." />
      <div class="chaos-grid">
        <div class="chaos-column">
          <LoadPanel form={form} onForm={change} />
          <FaultPanel form={form} onForm={change} />
          <Panel title="Health" class="not-presented">
            {status.value === null ? <Loading /> : <HealthSwitch facts={status.value} />}
          </Panel>
        </div>
        <div class="chaos-column">
          <Results onStart={() => document.querySelector<HTMLFormElement>('.chaos-load form')?.requestSubmit()} />
          {enabledPaths.value?.includes('/flaky') && <FlakyPanel onUse={path => change({ path, method: 'GET' })} />}
        </div>
      </div>
    </>
  )
}
