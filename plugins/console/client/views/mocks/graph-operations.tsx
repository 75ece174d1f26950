/** The operations of a mock of a GraphQL schema by root type, with a form to try each. */
import { useState } from 'preact/hooks'
import { route, setParams } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { useExchange } from '../explorer/exchange.ts'
import { ResponsePanel } from '../explorer/response.tsx'
import { TargetSelect } from '../request/target.tsx'
import { OperationBadges } from './operation-badges.tsx'
import type { GraphOperation } from './types.ts'

const KINDS = ['query', 'mutation', 'subscription'] as const
const TITLES = { query: 'Queries', mutation: 'Mutations', subscription: 'Subscriptions' } as const

export function GraphOperations({ name, operations }: { name: string; operations: readonly GraphOperation[] }) {
  const wanted = route.value.params.get('op')
  const selected = operations.find(({ key }) => key === wanted)
  return (
    <div class="mocks-operations">
      <section class="panel">
        {KINDS.map(kind => {
          const own = operations.filter(operation => operation.kind === kind)
          return (
            own.length > 0 && (
              <ul key={kind} class="mocks-operation-list" aria-label={TITLES[kind]}>
                {own.map(operation => (
                  <li key={operation.key}>
                    <button
                      type="button"
                      aria-pressed={operation === selected}
                      onClick={() => setParams({ op: operation.key })}
                    >
                      <span class="mocks-operation">
                        <Badge>{operation.kind}</Badge> <span class="mono">{fieldOf(operation)}</span>
                      </span>
                      <span class="quiet-text">
                        {operation.arguments.map(({ name: argument, type }) => `${argument}: ${type}`).join(', ')} →{' '}
                        {operation.type}
                      </span>
                      <span class="mocks-badges">
                        <OperationBadges {...operation} />
                      </span>
                    </button>
                  </li>
                ))}
              </ul>
            )
          )
        })}
      </section>
      {selected === undefined ? (
        <section class="panel">
          <Empty title="Choose an operation">Try it with a document.</Empty>
        </section>
      ) : (
        <TryIt key={selected.key} name={name} operation={selected} />
      )}
    </div>
  )
}

const fieldOf = ({ key }: GraphOperation): string => key.slice(key.indexOf('.') + 1)

/** Required arguments get a value that is valid for most types. */
function documentOf(operation: GraphOperation): string {
  const required = operation.arguments.filter(({ type }) => type.endsWith('!'))
  const values = required.map(({ name, type }) => `${name}: ${/^(?:ID|String)!$/.test(type) ? '"1"' : '1'}`)
  return `${operation.kind} {\n  ${fieldOf(operation)}${values.length === 0 ? '' : `(${values.join(', ')})`} { __typename }\n}\n`
}

function TryIt({ name, operation }: { name: string; operation: GraphOperation }) {
  const [query, setQuery] = useState(() => documentOf(operation))
  const [gateway, setGateway] = useState(activeGateway)
  const { exchange, run, stop } = useExchange()

  function send(event: Event): void {
    event.preventDefault()
    const type = operation.kind === 'subscription' ? 'text/event-stream' : 'application/json'
    run({
      method: 'POST',
      path: `/mock/${name}`,
      gateway,
      body: JSON.stringify({ query }),
      headers: [
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Accept', value: type },
      ],
    })
  }

  return (
    <div class="stack">
      <Panel title={`Try ${operation.key}`}>
        <form class="stack" onSubmit={send}>
          <div class="field">
            <span class="label">GraphQL document</span>
            <Editor label="GraphQL document" language="text" value={query} onValue={setQuery} minLines={5} />
          </div>
          <TargetSelect gateway={gateway} onGateway={setGateway} />
          <div class="actions">
            <Button kind="primary" icon="send" type="submit">
              Send
            </Button>
          </div>
        </form>
      </Panel>
      <ResponsePanel exchange={exchange} onStop={stop} />
    </div>
  )
}
