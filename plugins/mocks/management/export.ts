/** Export formats of a mock: a bundle, the effective document, an entry of `svc.yaml`. */
import { isRecord } from 'svc/toolkit'
import { own, ownObject, type Json, type JsonObject } from '../document/json.ts'
import { methodsOf } from '../document/operations.ts'
import { serverPathsOf } from '../document/servers.ts'
import type { ApiMock, Mock } from './mock.ts'

/** The complete mock as a JSON object, which every upload route accepts. */
export function bundleOf(mock: Mock, now: Date): JsonObject {
  return {
    kind: 'svc-mock',
    name: mock.name,
    spec: specOf(mock),
    ...mock.partsAsJson(),
    enabled: mock.enabled,
    exported_at: now.toISOString(),
  }
}

/** An entry of `mocks:` in `svc.yaml`. */
export function svcYamlOf(mock: Mock): JsonObject {
  const { settings, rules, overrides } = mock.partsAsJson()
  const entry = {
    name: mock.name,
    enabled: mock.enabled,
    settings,
    rules,
    overrides,
    spec: specOf(mock),
  }
  return { mocks: [entry] }
}

/** The document: that of OpenAPI as an object, a schema as text. */
function specOf({ live }: Mock): Json {
  return live.kind === 'graphql' ? live.graph.source.sdl : live.api.document.root
}

/** The document with the URLs of the mock as servers and the bodies of overrides as first examples. */
export function effectiveDocument(mock: ApiMock, url: string): JsonObject {
  const { api, parts } = mock.live
  const base = parts.settings.basePath
  const paths = base === 'auto' ? (api.serverPaths.length > 0 ? api.serverPaths : ['']) : [base.replace(/\/$/, '')]
  const below = (list: readonly string[]): Json => list.map(path => ({ url: `${url}${path}` }))
  const serversOf = (servers: Json | undefined): Json =>
    base === 'auto' ? below(serverPathsOf(servers) ?? paths) : below(paths)
  const root: JsonObject = withOwnServers({ ...api.document.root, servers: below(paths) }, serversOf)
  const overridden = api.operations.filter(
    operation => parts.overrides.effective(operation.key)?.outcome.body !== undefined,
  )
  if (overridden.length === 0) return root
  const copy = structuredClone(root)
  for (const operation of overridden) {
    const outcome = parts.overrides.effective(operation.key)?.outcome
    const pathItem = ownObject(ownObject(copy, 'paths'), operation.template) ?? {}
    const method = methodsOf(pathItem).find(({ method }) => method === operation.method)?.raw
    const status = String(outcome?.status ?? operation.responses[0]?.status ?? 200)
    const response = ownObject(ownObject(method, 'responses'), status)
    for (const media of Object.values(ownObject(response, 'content') ?? {}))
      if (isRecord(media)) putFirst(media, outcome?.body ?? null)
  }
  return copy
}

/** The document with other servers of path items and operations. */
function withOwnServers(root: JsonObject, serversOf: (servers: Json | undefined) => Json): JsonObject {
  const changed = (holder: Json | undefined): Json | undefined => {
    if (!isRecord(holder)) return holder
    const copy = { ...holder }
    if (own(copy, 'servers') !== undefined) copy['servers'] = serversOf(copy['servers'])
    return copy
  }
  const items = (map: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(map).map(([name, item]) => {
        const copy = changed(item) ?? null
        return [name, isRecord(copy) ? withOwnOperations(copy, changed) : copy]
      }),
    )
  const paths = ownObject(root, 'paths')
  const components = ownObject(root, 'components')
  const shared = ownObject(components, 'pathItems')
  return {
    ...root,
    ...(paths && { paths: items(paths) }),
    ...(shared && { components: { ...components, pathItems: items(shared) } }),
  }
}

/** A path item with changed operations. */
function withOwnOperations(
  pathItem: JsonObject,
  changed: (operation: Json | undefined) => Json | undefined,
): JsonObject {
  const copy = { ...pathItem }
  const additional = ownObject(copy, 'additionalOperations')
  if (additional !== undefined) copy['additionalOperations'] = { ...additional }
  for (const { at, raw } of methodsOf(copy)) {
    const [name = '', method] = at
    const holder = method === undefined ? copy : (ownObject(copy, name) ?? {})
    holder[method ?? name] = changed(raw) ?? null
  }
  return copy
}

/**
 * Puts an example first. `example` and `examples` are mutually exclusive, so an existing `example` moves to `examples`.
 */
function putFirst(media: JsonObject, body: Json): void {
  const others = ownObject(media, 'examples') ?? {}
  const single = own(media, 'example')
  delete media['example']
  media['examples'] = {
    override: { value: body },
    ...(single === undefined ? {} : { default: { value: single } }),
    ...others,
  }
}
