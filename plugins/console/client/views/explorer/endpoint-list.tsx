/** The endpoints of the catalog, with search and filters. */
import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { hashOf } from '../../lib/shell/router.ts'
import type { CatalogEndpoint } from '../../lib/shell/places.ts'
import { Badge, Method } from '../../ui/badge.tsx'
import { Select } from '../../ui/field.tsx'
import { Empty } from '../../ui/notice.tsx'

/** Filters of the list; empty values match everything. */
export interface EndpointFilter {
  search: string
  category: string
  protocol: string
  plugin: string
}

/** Endpoints that match: each word occurs in path, summary, category, plugin or method. */
export function filterEndpoints(
  endpoints: readonly CatalogEndpoint[],
  { search, category, protocol, plugin }: EndpointFilter,
): CatalogEndpoint[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return endpoints.filter(
    endpoint =>
      (category === '' || endpoint.category === category) &&
      (protocol === '' || endpoint.protocol === protocol) &&
      (plugin === '' || (endpoint.plugin ?? 'core') === plugin) &&
      words.every(word => textOf(endpoint).includes(word)),
  )
}

function textOf({ path, summary, category, plugin, methods }: CatalogEndpoint): string {
  return `${path} ${summary} ${category} ${plugin ?? 'core'} ${methods.join(' ')}`.toLowerCase()
}

/** The link to an endpoint. It has the method, since a path can occur once per method. */
export function linkOf({ path, methods }: CatalogEndpoint, filter: EndpointFilter): string {
  return hashOf('explorer', { ...namesOf(filter), path, method: methods[0] })
}

function namesOf({ search, ...rest }: EndpointFilter): Record<string, string> {
  return { q: search, ...rest }
}

export interface EndpointListProps {
  all: readonly CatalogEndpoint[]
  shown: readonly CatalogEndpoint[]
  filter: EndpointFilter
  selected: CatalogEndpoint | null
  searchRef: RefObject<HTMLInputElement | null>
  onFilter(changes: Record<string, string | null>): void
}

export function EndpointList({ all, shown, filter, selected, searchRef, onFilter }: EndpointListProps) {
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [selected])
  const options = (title: string, values: string[]) => [{ value: '', label: title }, ...new Set(values)]
  return (
    <div class="panel explorer-list">
      <div class="explorer-search">
        <input
          ref={searchRef}
          type="search"
          aria-label="Search endpoints"
          placeholder={`Search ${all.length} endpoints`}
          spellcheck={false}
          autocomplete="off"
          value={filter.search}
          onInput={event => onFilter({ q: event.currentTarget.value || null })}
        />
        <div class="explorer-filter">
          <Select
            hideLabel
            label="Category"
            value={filter.category}
            onValue={category => onFilter({ category: category || null })}
            options={options(
              'Any category',
              all.map(({ category }) => category),
            )}
          />
          <Select
            hideLabel
            label="Protocol"
            value={filter.protocol}
            onValue={protocol => onFilter({ protocol: protocol || null })}
            options={options(
              'Any protocol',
              all.map(({ protocol }) => protocol),
            )}
          />
          <Select
            hideLabel
            label="Plugin"
            value={filter.plugin}
            onValue={plugin => onFilter({ plugin: plugin || null })}
            options={options('Any plugin', all.map(({ plugin }) => plugin ?? 'core').sort())}
          />
        </div>
      </div>
      {shown.length === 0 ? (
        <Empty title="No matching endpoints" />
      ) : (
        <ul ref={list} aria-label="Endpoints">
          {shown.map((endpoint, at) => (
            <li
              key={`${endpoint.methods} ${endpoint.path} ${endpoint.summary}`}
              data-category={endpoint.category === shown[at - 1]?.category ? undefined : endpoint.category}
            >
              <a href={linkOf(endpoint, filter)} aria-current={endpoint === selected ? 'true' : undefined}>
                <span class="explorer-endpoint">
                  <Methods endpoint={endpoint} />
                  <span class="mono">{endpoint.path}</span>
                </span>
                <span class="explorer-summary">{endpoint.summary}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Methods({ endpoint: { methods, protocol } }: { endpoint: CatalogEndpoint }) {
  if (protocol === 'websocket') return <Badge tone="info">WS</Badge>
  return (
    <>
      {methods.map(method => (
        <Method key={method} method={method} />
      ))}
      {protocol === 'sse' && <Badge tone="info">SSE</Badge>}
    </>
  )
}
