/** Environments of Mockoon as rules. */
import type { Json, JsonObject } from 'svc/plugin'
import { isRecord } from 'svc/toolkit'
import { Members } from '../source/members.ts'
import { Stub, textOf } from '../stub/stub.ts'
import { UpstreamList } from '../stub/upstreams.ts'
import type { Conversion, ConvertedRules, ImportFile, Importing, ImportKind, ItemPath, WrittenFile } from '../types.ts'
import { readRules, requestNumber } from './conditions.ts'
import { endpointPath } from './endpoint.ts'
import { mockoonLines, readResponse, type Environment } from './response.ts'

/** Below all routes, above the rule of `--closed`. */
const PROXY_PRIORITY = -998
const WITHOUT_MEANING = [
  'uuid',
  'lastMigration',
  'name',
  'port',
  'hostname',
  'rootChildren',
  'folders',
  'tlsOptions',
  'cors',
]

export const mockoonKind: ImportKind = {
  id: 'mockoon',
  recognizes: ({ document }) =>
    isRecord(document) && Array.isArray(document.routes) && document.lastMigration !== undefined,
  convert,
}

interface Counted {
  found: number
  disabled: number
  skipped: number
}

async function convert(files: readonly ImportFile[], importing: Importing): Promise<Conversion> {
  const upstreams = new UpstreamList(importing)
  const counted: Counted = { found: 0, disabled: 0, skipped: 0 }
  const rules: ConvertedRules[] = []
  const written: WrittenFile[] = []
  const notify = new Set<string>()
  for (const file of files) {
    const given = new Members(file.document as JsonObject, [])
    const environment = readEnvironment(given, notify)
    const own: JsonObject[] = []
    const prefix = given.text('endpointPrefix') ?? ''
    for (const { value, path } of orderedRoutes(given, file, importing))
      own.push(
        ...(await readRoute(new Members(value, path), { file, importing, prefix, environment, counted, written })),
      )
    if (counted.found > 0)
      importing.find(file, ['routes'], 'changed', 'paths are compared with their case, and a slash at the end counts')
    own.push(...readProxy(given, prefix, { file, importing, upstreams }))
    given.ignore(...WITHOUT_MEANING)
    for (const name of given.others()) importing.find(file, [name], 'lost', given.problemOf(name))
    rules.push({ file, rules: own })
  }
  return { ...counted, rules, proxy: upstreams.items, notify: [...notify], files: written }
}

function readEnvironment(given: Members, notify: Set<string>): Environment {
  const byId = (name: string, key: string): [string, { value: JsonObject; path: ItemPath }][] =>
    given
      .list(name)
      .flatMap((value, index): [string, { value: JsonObject; path: ItemPath }][] =>
        isRecord(value)
          ? [[textOf(value[key] as Json), { value: value as JsonObject, path: [...given.at(name), index] }]]
          : [],
      )
  return {
    latency: given.number('latency') ?? 0,
    headers: mockoonLines(given.list('headers'), given.at('headers')),
    buckets: new Map(
      byId('data', 'id').map(([id, { value, path }]) => [id, { value: textOf(value.value), path: [...path, 'value'] }]),
    ),
    callbacks: new Map(byId('callbacks', 'uuid')),
    notify,
  }
}

interface Entry {
  value: JsonObject
  path: ItemPath
}

/** The objects of a list; other items are skipped with a finding. */
function entriesOf(owner: Members, name: string, file: ImportFile, importing: Importing): Entry[] {
  return owner.list(name).flatMap((value, index): Entry[] => {
    const path = [...owner.at(name), index]
    if (isRecord(value)) return [{ value: value as JsonObject, path }]
    importing.find(file, path, 'skipped', 'expected an object')
    return []
  })
}

/** The routes in the order of the tree of folders, then those that are not in it. */
function orderedRoutes(given: Members, file: ImportFile, importing: Importing): Entry[] {
  const routes = entriesOf(given, 'routes', file, importing)
  const byId = new Map(routes.map(route => [route.value.uuid, route]))
  const folders = new Map(
    given.list('folders').flatMap(folder => (isRecord(folder) ? [[folder.uuid, folder.children] as const] : [])),
  )
  const ordered = new Set<Entry>()
  const seen = new Set<unknown>()
  const open = [given.take('rootChildren')].flat().toReversed()
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isRecord(next) || seen.has(next.uuid)) continue
    seen.add(next.uuid)
    const route = byId.get(next.uuid as Json)
    if (route !== undefined) ordered.add(route)
    const children = folders.get(next.uuid)
    if (Array.isArray(children)) open.push(...(children as Json[]).toReversed())
  }
  for (const route of routes) ordered.add(route)
  return [...ordered]
}

interface Context {
  file: ImportFile
  importing: Importing
  prefix: string
  environment: Environment
  counted: Counted
  written: WrittenFile[]
}

/** The rules of a route. Each response is an entry. */
async function readRoute(route: Members, context: Context): Promise<JsonObject[]> {
  const { file, importing, counted } = context
  const responses = entriesOf(route, 'responses', file, importing)
  counted.found += responses.length
  const skip = (name: string, message: string): JsonObject[] => {
    importing.find(file, route.at(name), 'skipped', message)
    counted.skipped += responses.length
    return []
  }
  const type = route.text('type') ?? 'http'
  if (type !== 'http') return skip('type', `routes of the type ${type.slice(0, 40)} are not imported`)
  if (route.text('streamingMode') !== undefined) return skip('streamingMode', 'streaming is not imported')
  const endpoint = endpointPath(context.prefix, route.text('endpoint') ?? '')
  if ('problem' in endpoint) return skip('endpoint', endpoint.problem)
  const method = route.text('method') ?? ''
  const mode = route.text('responseMode') ?? ''
  route.ignore('uuid', 'documentation', 'streamingInterval', 'enabled')
  for (const name of route.others()) importing.find(file, route.at(name), 'lost', route.problemOf(name))
  const base: JsonObject = {
    path: endpoint.path,
    ...(method === '' || method === 'all' ? {} : { method: method.toUpperCase() }),
  }
  const all = await Promise.all(responses.map(one => readOne(one, base, context)))
  const chosen = all.findIndex(({ value }) => value.default === true)
  const byDefault = all[chosen === -1 ? 0 : chosen]
  const made = (list: readonly (JsonObject | null)[], stubs: readonly Stub[]): JsonObject[] => {
    for (const stub of stubs) {
      if (stub.isSkipped) counted.skipped++
      else {
        if (stub.isDisabled) counted.disabled++
        context.written.push(...stub.files)
      }
    }
    return list.filter(rule => rule !== null)
  }
  if (byDefault === undefined) return []
  const stubs = all.map(({ stub }) => stub)
  if (mode === 'SEQUENTIAL') {
    const step = all.map(one => one.step)
    return made(
      rulesOn(byDefault.stub, step.length === 1 ? step[0]! : step, step.length === 1 ? {} : { loop: true }),
      stubs,
    )
  }
  if (mode === 'RANDOM')
    return made(
      all.flatMap(({ stub, step }, index) =>
        rulesOn(stub, step, index === all.length - 1 ? {} : { sample: 1 / (all.length - index) }),
      ),
      stubs,
    )
  if (mode === 'DISABLE_RULES') return made(rulesOn(byDefault.stub, byDefault.step), stubs)
  const rules: (JsonObject | null)[] = []
  const numbers: number[] = []
  let isOnlyNumbers = true
  for (const { stub, step, value, path } of all) {
    const own = Array.isArray(value.rules) ? (value.rules as Json[]) : []
    if (own.length === 0) continue
    const number = isOnlyNumbers ? requestNumber(own) : null
    if (number === null) {
      isOnlyNumbers = false
      readRules(own, textOf(value.rulesOperator), [...path, 'rules'], stub)
      rules.push(...rulesOn(stub, step))
    } else {
      // Requests that earlier rules answer are not counted by this one.
      if (!numbers.includes(number))
        rules.push(...rulesOn(stub, step, { skip: number - 1 - numbers.filter(one => one < number).length, times: 1 }))
      numbers.push(number)
    }
  }
  if (mode !== 'FALLBACK') {
    const last = byDefault.value.rules
    const stub =
      Array.isArray(last) && last.length > 0
        ? new Stub(importing, file, byDefault.path, importing.ruleName(`${byDefault.stub.name}-default`))
        : byDefault.stub
    if (stub !== byDefault.stub) stub.and(base)
    rules.push(...rulesOn(stub, byDefault.step))
  }
  return made(rules, stubs)
}

interface ReadResponse extends Entry {
  stub: Stub
  step: JsonObject
}

async function readOne({ value, path }: Entry, base: JsonObject, context: Context): Promise<ReadResponse> {
  const { importing, file, environment } = context
  const shown = isRecord(base.path) ? textOf(base.path.matches as Json) : textOf(base.path)
  const parts = [textOf(base.method ?? 'all'), ...shown.split('/'), textOf(value.label)].filter(part => part !== '')
  const stub = new Stub(importing, file, path, importing.ruleName(parts.join('-').toLowerCase()))
  stub.and(base)
  const step = await readResponse(new Members(value, path), stub, environment)
  return { value, path, stub, step }
}

function rulesOn(stub: Stub, step: Json, members: JsonObject = {}): (JsonObject | null)[] {
  return [stub.rule(step, members)]
}

/** What no route answers goes to the proxy of the environment. */
function readProxy(
  given: Members,
  prefix: string,
  { file, importing, upstreams }: { file: ImportFile; importing: Importing; upstreams: UpstreamList },
): JsonObject[] {
  const isProxy = given.take('proxyMode') === true
  const [host, removesPrefix] = [given.text('proxyHost') ?? '', given.take('proxyRemovePrefix') === true]
  const [asked, answered] = [given.list('proxyReqHeaders'), given.list('proxyResHeaders')]
  if (!isProxy) return []
  const stub = new Stub(importing, file, ['proxyHost'], importing.ruleName(`${file.stem}-proxy`))
  const upstream = upstreams.nameOf(host)
  if (upstream === undefined) {
    stub.lost(['proxyHost'], 'an upstream needs the URL of an HTTP server, without a query')
    return []
  }
  if (mockoonLines(answered, ['proxyResHeaders']).length > 0)
    stub.lost(['proxyResHeaders'], 'fields of responses of an upstream are sent as they are')
  const set = stub.headers(mockoonLines(asked, ['proxyReqHeaders']))
  stub.and({ path: '/**' })
  const strips = removesPrefix && prefix !== ''
  const forward: Json =
    strips || Object.keys(set).length > 0
      ? {
          upstream,
          ...(strips ? { strip_prefix: `/${prefix}` } : {}),
          ...(Object.keys(set).length > 0 ? { set_headers: set } : {}),
        }
      : upstream
  const rule = stub.rule({ forward }, { priority: PROXY_PRIORITY })
  return rule === null ? [] : [rule]
}
