/** Where the groups of the catalog live, at the gateway and at the upstream itself. */
import type { Check } from '../catalog/check.ts'
import type { Address } from './address.ts'
import { routeOfWire } from '../pairs/wire-requests.ts'
import type { Routes } from './routes.ts'
import { ROOT, type Route } from './step-runner.ts'

/** A route in any protocol. */
export type End = Omit<Route, 'protocol'>

/** Paths of the groups that do not use that of the probe. */
const DEFAULT_PATHS: Readonly<Record<string, string>> = {
  llm: '/ai/openai/v1',
  realtime: '/ai/openai/v1',
  gql: '/graphql',
  mcp: '/mcp',
  a2a: '/a2a/weather',
}

/** Those whose requests name a model. */
const MODEL_GROUPS: readonly string[] = ['llm', 'realtime']

/** The upstream, as the probe reaches it without the gateway. */
export function directEnd(upstream: Address): End {
  return {
    through: 'direct',
    address: upstream,
    prefix: upstream.prefix,
    authority: upstream.authority,
    trust: { ca: null, insecure: true, name: null },
    extraFields: [],
  }
}

/** The route of a check's group, which starts from one of the ends. */
export function routeOf({ group, when }: Pick<Check, 'group' | 'when'>, end: End, routes: Routes): End {
  const { model } = routes
  // Checks with pairs know the fields of each model.
  const isOfModel = MODEL_GROUPS.includes(group) && when?.pairs !== true && end.through === 'gateway'
  return {
    ...end,
    ...(isOfModel ? { extraFields: [...end.extraFields, ...fieldsOfModel(routes)] } : {}),
    ...(model === null ? {} : { model }),
    prefix: `${end.prefix}${DEFAULT_PATHS[group] ?? ''}`,
    ...placeOf(group, end, routes),
    at: name => placeOf(name, end, routes),
  }
}

/** What `--routes` adds to requests for the model that it names. */
function fieldsOfModel({ model, llm: { headers, models } }: Routes): Route['extraFields'] {
  return [...headers, ...(models?.find(({ name }) => name === model)?.headers ?? [])]
}

/** Where `--routes` says that something lives; null without a route, and in the direct run. */
function placeOf(
  name: string,
  end: End,
  { paths, wires }: Routes,
): Pick<Route, 'address' | 'prefix' | 'authority'> | null {
  const { address, authority } = end
  const wire = name.startsWith('wire.') ? wires.find(({ id }) => routeOfWire(id) === name) : undefined
  if (wire !== undefined && (end.through === 'direct' || paths[name] === undefined))
    return { address, authority, prefix: `${end.prefix}${wire.base}` }
  // Paths that came back in answers have all prefixes already.
  if (name === ROOT) return { address, authority, prefix: '' }
  const own = paths[name] ?? (name === 'realtime' ? paths.llm : undefined)
  if (own === undefined || end.through === 'direct') return null
  if (own.address === null) return { address, authority, prefix: `${address.prefix}${own.path}` }
  return { address: own.address, authority: own.address.authority, prefix: own.address.prefix }
}
