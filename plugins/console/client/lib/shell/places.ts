/** Targets of the dialog "Go to" other than views: endpoints, mocks, tools. */
import type { Catalog, CatalogEndpoint } from 'svc/plugin'
import { callJson } from '../instance/api.ts'
import { CONSOLE_HEADER, LOOK_UP } from '../instance/gateway.ts'
import { page } from '../instance/page.ts'
import { hashOf } from './router.ts'

export interface Place {
  /** Label for the kind of target. */
  kind: string
  title: string
  detail?: string
  hash: string
}

export type { Catalog, CatalogEndpoint }

/** One source per kind of target, with the view that it opens. Failing sources are ignored. */
const sources: readonly { view: string; list(): Promise<Place[]> }[] = [
  { view: 'explorer', list: listEndpoints },
  { view: 'mocks', list: listMocks },
  { view: 'mcp', list: listTools },
]

async function listEndpoints(): Promise<Place[]> {
  const { endpoints } = await callJson<Catalog>('_svc/catalog')
  return endpoints.map(({ path, methods, summary }) => ({
    kind: 'Endpoint',
    title: `${methods.join(' ')} ${path}`,
    detail: summary,
    hash: hashOf('explorer', { path, method: methods[0] }),
  }))
}

async function listMocks(): Promise<Place[]> {
  const { mocks } = await callJson<{ mocks: { name: string; title?: string }[] }>('_svc/mocks')
  return mocks.map(({ name, title }) => ({
    kind: 'Mock',
    title: name,
    ...(title ? { detail: title } : {}),
    hash: hashOf('mocks', { mock: name }),
  }))
}

/** Tools of the server at `/mcp`, through the stateless protocol. The live traffic does not show the request. */
async function listTools(): Promise<Place[]> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MCP_VERSION,
    'io.modelcontextprotocol/clientInfo': { name: 'svc console', version: page.version },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const { result } = await callJson<{ result: { tools: { name: string; title?: string; description?: string }[] } }>(
    'mcp',
    {
      method: 'POST',
      headers: {
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': MCP_VERSION,
        'Mcp-Method': 'tools/list',
        [CONSOLE_HEADER]: LOOK_UP,
      },
      json: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } },
    },
  )
  return result.tools.map(({ name, title, description }) => ({
    kind: 'Tool',
    title: name,
    detail: title ?? description ?? '',
    hash: hashOf('mcp', { server: '/mcp', kind: 'tool', name }),
  }))
}

const MCP_VERSION = '2026-07-28'

/** All places that belong to these views. */
export async function listPlaces(views: readonly string[]): Promise<Place[]> {
  const lists = await Promise.allSettled(sources.filter(({ view }) => views.includes(view)).map(({ list }) => list()))
  return lists.flatMap(result => (result.status === 'fulfilled' ? result.value : []))
}
