/** One request that a bin captured. */
import { compareRequests, ofEntry, ofSent } from '../../lib/traffic/compare.ts'
import { sentOf } from '../../lib/instance/gateway.ts'
import { formatBytes } from '../../lib/protocol/http.ts'
import { Facts } from '../../ui/view.tsx'
import { BodyView } from '../request/body.tsx'
import { GatewayReport } from '../request/gateway-report.tsx'
import { RequestHead } from '../request/head.tsx'
import { arrivedOf, type Captured } from './types.ts'

export function CapturedDetail({ captured, onClose }: { captured: Captured; onClose(): void }) {
  const request = arrivedOf(captured)
  const sent = sentOf(request)
  const comparison = sent && compareRequests(ofSent(sent), ofEntry(request))
  return (
    <section class="panel bins-request" aria-label="Request">
      <div class="request-detail">
        <RequestHead request={request} onClose={onClose} />
        <div class="request-body">
          <GatewayReport entry={request} comparison={comparison} />
          <BodyView entry={request} before={comparison?.body?.before ?? null} />
          <section class="request-section not-presented">
            <h3>Facts</h3>
            <Facts
              items={[
                ['Number', captured.seq],
                ['Arrived', new Date(captured.timestamp).toLocaleString()],
                ['From', <code key="ip">{captured.client_ip}</code>],
                ['Path in the bin', <code key="path">{captured.path}</code>],
                ['Body', `${formatBytes(captured.body_size)}${captured.body_truncated ? ', first 64 KiB stored' : ''}`],
              ]}
            />
          </section>
        </div>
      </div>
    </section>
  )
}
