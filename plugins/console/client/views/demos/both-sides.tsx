/** Both sides of the gateway of a run: what a client sent through svc, and what arrived. */
import { callJson } from '../../lib/instance/api.ts'
import { instanceBase } from '../../lib/instance/page.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { hashOf } from '../../lib/shell/router.ts'
import { Code } from '../../ui/code.tsx'
import { Notice } from '../../ui/notice.tsx'
import type { SeenArrival, SeenExchange } from './types.ts'

const EVERY_MS = 2000
const MAX_SHOWN = 200

export function BothSides({ id, isOpen }: { id: string; isOpen: boolean }) {
  const loaded = useLoad(
    signal =>
      callJson<{ exchanges: SeenExchange[] }>(`_svc/demos/runs/${encodeURIComponent(id)}/exchanges`, { signal }),
    [id, isOpen],
    isOpen ? EVERY_MS : undefined,
  )
  const exchanges = loaded.value?.exchanges ?? []
  return (
    <section class="demo-sides stack" aria-label="Both sides of the gateway">
      {isOpen && (
        <>
          <p>The client, for example a coding agent, uses this address in place of the gateway:</p>
          <Code text={new URL(`s/${id}/proxy/gateway`, instanceBase).href} label="address" />
        </>
      )}
      {loaded.error !== null && <Notice kind="bad">{loaded.error}</Notice>}
      {exchanges.length === 0 && loaded.value !== undefined && <p>No client has sent anything.</p>}
      <ol class="demo-exchanges">
        {exchanges.map(exchange => (
          <li key={exchange.sent.id}>
            <h3>
              <RequestLink of={exchange.sent} /> sent, {exchange.sent.status} came back
            </h3>
            {exchange.arrived.length === 0 && <p class="demo-lost">Nothing arrived.</p>}
            {exchange.arrived.map(arrived => (
              <Arrived key={arrived.id} arrived={arrived} />
            ))}
          </li>
        ))}
      </ol>
    </section>
  )
}

function RequestLink({ of: { id, method, uri } }: { of: SeenExchange['sent'] }) {
  return (
    <a href={hashOf('traffic', { id })}>
      <code>
        {method} {uri}
      </code>
    </a>
  )
}

function Arrived({ arrived }: { arrived: SeenArrival }) {
  const { conversation, headers, body } = arrived
  const changes = [
    ...(conversation?.differences ?? []).map(({ at, kind, sent, arrived: got }) => ({ at, kind, sent, got })),
    ...headers.map(({ name, kind, sent, arrived: got }) => ({ at: `header ${name}`, kind, sent, got })),
  ]
  const isTranslated = conversation !== null && conversation.client !== conversation.upstream
  return (
    <div class="stack">
      <p>
        <RequestLink of={arrived} /> arrived, {arrived.status} was the answer. The body is{' '}
        {body === 'same' ? 'the same' : 'not the same'}
        {isTranslated && `: the format ${conversation.client} became ${conversation.upstream}`}.
      </p>
      {conversation?.differences.length === 0 && <p>The conversation is the same.</p>}
      {changes.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">Where</th>
              <th scope="col">What</th>
              <th scope="col">Sent</th>
              <th scope="col">Arrived</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ at, kind, sent, got }, index) => (
              <tr key={index}>
                <th scope="row">
                  <code>{at}</code>
                </th>
                <td class={kind === 'lost' ? 'demo-lost' : undefined}>{kind}</td>
                <td>{short(sent)}</td>
                <td>{short(got)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}

function short(value: unknown): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}
