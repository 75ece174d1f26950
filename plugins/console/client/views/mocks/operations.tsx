/** The operations of a mock, with a form to try each. */
import { useState } from 'preact/hooks'
import { callJson } from '../../lib/instance/api.ts'
import { useLoad } from '../../lib/shell/hooks.ts'
import { takesNoBody, type NameValue } from '../../lib/protocol/http.ts'
import { route, setParams } from '../../lib/shell/router.ts'
import { activeGateway } from '../../lib/shell/storage.ts'
import { Badge, Method } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Editor } from '../../ui/editor.tsx'
import { Select, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from '../../ui/header-list.tsx'
import { Empty, Loading, Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/view.tsx'
import { useExchange } from '../explorer/exchange.ts'
import { PathParameters } from '../explorer/path-parameters.tsx'
import { ResponsePanel } from '../explorer/response.tsx'
import { TargetSelect } from '../request/target.tsx'
import { GraphOperations } from './graph-operations.tsx'
import { OperationBadges } from './operation-badges.tsx'
import type { GraphOperation, MockRecord, Operation } from './types.ts'

const REFRESH_MS = 5000

export function Operations({ mock }: { mock: MockRecord }) {
  const list = useLoad(
    async signal =>
      (await callJson<{ operations: (Operation | GraphOperation)[] }>(`_svc/mocks/${mock.name}/operations`, { signal }))
        .operations,
    [mock.revision],
    REFRESH_MS,
  )
  const wanted = route.value.params.get('op')
  if (list.value === undefined) return list.error === null ? <Loading /> : <Notice kind="bad">{list.error}</Notice>
  if (list.value.length === 0) return <Empty title="No operations">The document has no paths.</Empty>
  if (mock.kind === 'graphql')
    return <GraphOperations name={mock.name} operations={list.value.filter(one => 'kind' in one)} />
  const operations = list.value.filter(one => 'method' in one)
  const selected = operations.find(({ key }) => key === wanted)
  return (
    <div class="mocks-operations">
      <section class="panel">
        <ul class="mocks-operation-list" aria-label="Operations">
          {operations.map(operation => (
            <li key={operation.key}>
              <button
                type="button"
                aria-pressed={operation === selected}
                onClick={() => setParams({ op: operation.key })}
              >
                <span class="mocks-operation">
                  <Method method={operation.method} /> <span class="mono">{operation.path}</span>
                </span>
                <span class="quiet-text">{operation.summary || operation.key}</span>
                <span class="mocks-badges">
                  {operation.statuses.map(status => (
                    <Badge key={status}>{status}</Badge>
                  ))}
                  <OperationBadges {...operation} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      </section>
      {selected === undefined ? (
        <section class="panel">
          <Empty title="Choose an operation">Try it with parameters, a body and a preferred response.</Empty>
        </section>
      ) : (
        <TryIt key={selected.key} mock={mock} operation={selected} />
      )}
    </div>
  )
}

function TryIt({ mock, operation }: { mock: MockRecord; operation: Operation }) {
  // Path of the operation below the mock, with parameters such as `{id}`.
  const template = `/mock/${mock.name}${decodeURI(operation.url.slice(operation.url.indexOf(`/mock/${mock.name}`) + `/mock/${mock.name}`.length))}`
  const [path, setPath] = useState(() => template.replace(/\{[^{}]+\}/g, '1'))
  const [prefer, setPrefer] = useState('')
  const [headers, setHeaders] = useState<NameValue[]>([])
  const [body, setBody] = useState('')
  const [gateway, setGateway] = useState(activeGateway)
  const { exchange, run, stop } = useExchange()
  const choices = operation.statuses.flatMap(status => [
    { value: `code=${status}`, label: status },
    ...(operation.examples[status] ?? []).map(example => ({
      value: `code=${status}, example=${example}`,
      label: `${status}, example ${example}`,
    })),
  ])
  const hasBody = !takesNoBody(operation.method)

  function send(event: Event): void {
    event.preventDefault()
    run({
      method: operation.method,
      path,
      gateway,
      body: hasBody && body !== '' ? body : null,
      headers: [
        ...(prefer === '' ? [] : [{ name: 'Prefer', value: prefer }]),
        ...(hasBody && body !== '' && !headers.some(({ name }) => /^content-type$/i.test(name))
          ? [{ name: 'Content-Type', value: 'application/json' }]
          : []),
        ...headers,
      ],
    })
  }

  return (
    <div class="stack">
      <Panel title={`Try ${operation.key}`}>
        <form class="stack" onSubmit={send}>
          <TextField mono label="Path" value={path} onValue={setPath} />
          <PathParameters template={template} path={path} onPath={setPath} />
          <div class="mocks-pair">
            <Select
              label="Preferred response"
              value={prefer}
              onValue={setPrefer}
              options={[{ value: '', label: 'Default' }, ...choices]}
            />
            <TargetSelect gateway={gateway} onGateway={setGateway} />
          </div>
          <div class="field">
            <span class="label">Headers</span>
            <HeaderEditor headers={headers} onHeaders={setHeaders} />
          </div>
          {hasBody && (
            <div class="field">
              <span class="label">Body</span>
              <Editor label="Body" language="json" value={body} onValue={setBody} minLines={4} />
            </div>
          )}
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
