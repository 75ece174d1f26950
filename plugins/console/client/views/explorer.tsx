/** API explorer: try every endpoint of the enabled plugins, starting from examples, directly or through a gateway. */
import { useMemo, useRef, useState } from 'preact/hooks'
import { callJson } from '../lib/instance/api.ts'
import { useLoad } from '../lib/shell/hooks.ts'
import { useKeys } from '../lib/shell/keys.ts'
import type { Catalog, CatalogEndpoint } from '../lib/shell/places.ts'
import { route, setParams } from '../lib/shell/router.ts'
import { plugins } from '../lib/instance/status.ts'
import { activeGateway } from '../lib/shell/storage.ts'
import { Badge, Method } from '../ui/badge.tsx'
import { Select } from '../ui/field.tsx'
import { Empty, Loading, Notice } from '../ui/notice.tsx'
import { ViewHeader } from '../ui/view.tsx'
import { EndpointList, linkOf, filterEndpoints, type EndpointFilter } from './explorer/endpoint-list.tsx'
import { RequestForm } from './explorer/request-form.tsx'
import { TargetSelect } from './request/target.tsx'
import { WebSocketTry } from './explorer/web-socket.tsx'

export default function Explorer() {
  const { params } = route.value
  const catalog = useLoad(signal => callJson<Catalog>('_svc/catalog', { signal }), [plugins.value?.generation])
  const filter: EndpointFilter = {
    search: params.get('q') ?? '',
    category: params.get('category') ?? '',
    protocol: params.get('protocol') ?? '',
    plugin: params.get('plugin') ?? '',
  }
  const all = catalog.value?.endpoints ?? []
  const shown = useMemo(() => filterEndpoints(all, filter), [all, ...Object.values(filter)])
  const selected = find(all, params.get('path'), params.get('method'))
  const search = useRef<HTMLInputElement>(null)

  const move = (by: number) => () => {
    const next = shown[Math.max(0, selected === null ? 0 : shown.indexOf(selected) + by)]
    if (next) location.hash = linkOf(next, filter)
  }
  useKeys({ '/': () => search.current?.focus(), j: move(1), k: move(-1) })

  return (
    <>
      <ViewHeader title="API explorer" />
      {catalog.error !== null && <Notice kind="bad">{catalog.error}</Notice>}
      {catalog.value === undefined ? (
        catalog.isLoading && <Loading />
      ) : (
        <div class={`explorer-split ${selected === null ? '' : 'with-endpoint'}`}>
          <EndpointList
            all={all}
            shown={shown}
            filter={filter}
            selected={selected}
            searchRef={search}
            onFilter={setParams}
          />
          {selected === null ? (
            <div class="panel explorer-none">
              <Empty title="Choose an endpoint">
                <p>Start from one of its examples, or edit the request as you like.</p>
                {all[0] && (
                  <a class="button primary" href={linkOf(all[0], filter)}>
                    Try {all[0].path}
                  </a>
                )}
              </Empty>
            </div>
          ) : (
            <Endpoint key={`${selected.methods} ${selected.path} ${selected.summary}`} endpoint={selected} />
          )}
        </div>
      )}
    </>
  )
}

/** The endpoint that a link names; the method decides between endpoints with the same path. */
function find(
  endpoints: readonly CatalogEndpoint[],
  path: string | null,
  method: string | null,
): CatalogEndpoint | null {
  const ofPath = endpoints.filter(endpoint => endpoint.path === path)
  return ofPath.find(({ methods }) => method !== null && methods.includes(method)) ?? ofPath[0] ?? null
}

function Endpoint({ endpoint }: { endpoint: CatalogEndpoint }) {
  const { examples, path, methods, summary, description, protocol, category, plugin } = endpoint
  const name = route.value.params.get('example')
  const example = examples.find(candidate => candidate.name === name) ?? examples[0]
  const [gateway, setGateway] = useState(activeGateway)
  return (
    <section class="panel explorer-endpoint-panel" aria-label="Request">
      <header class="explorer-head">
        <h2 class="mono">
          {methods.map(method => (
            <Method key={method} method={method} />
          ))}{' '}
          {path}
        </h2>
        <p>
          <WithCode text={summary} />
        </p>
        {description !== '' && (
          <p class="quiet-text not-presented">
            <WithCode text={description} />
          </p>
        )}
        <p class="actions">
          <Badge>{category}</Badge>
          <Badge>{plugin ?? 'core'}</Badge>
          {protocol !== 'http' && <Badge tone="info">{protocol}</Badge>}
        </p>
      </header>
      <div class="panel-body">
        <div class="explorer-choice">
          {examples.length > 0 && (
            <Select
              label="Example"
              value={example?.name ?? ''}
              onValue={value => setParams({ example: value })}
              options={[...new Set(examples.map(candidate => candidate.name))]}
            />
          )}
          <TargetSelect gateway={gateway} onGateway={setGateway} />
        </div>
        {protocol === 'websocket' ? (
          <WebSocketTry key={example?.name} example={example} path={example?.path ?? path} gateway={gateway} />
        ) : (
          <RequestForm key={example?.name} endpoint={endpoint} example={example} gateway={gateway} />
        )}
      </div>
    </section>
  )
}

/** Text in which backticks mark code. */
function WithCode({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
}
