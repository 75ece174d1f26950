/** The instance at a glance. */
import { status } from '../lib/status.ts'
import { Loading } from '../ui/notice.tsx'
import { Facts, Panel, ViewHeader } from '../ui/view.tsx'
import { formatDuration } from '../lib/http.ts'

export default function Overview() {
  const facts = status.value
  return (
    <>
      <ViewHeader title="Overview" />
      {facts === null ? <Loading /> : (
        <Panel title="Instance">
          <Facts items={[
            ['Instance', facts.instance_id],
            ['Version', facts.version],
            ['Up for', formatDuration(facts.uptime_seconds)],
          ]} />
        </Panel>
      )}
    </>
  )
}
