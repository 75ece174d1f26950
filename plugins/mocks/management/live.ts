/** A compiled definition, by its kind. */
import { heldValueBytes } from 'svc/toolkit'
import { CompiledApi } from '../api/compiled-api.ts'
import { partsToJson, readParts, type GivenParts, type Limits } from '../definition/definition.ts'
import type { Live } from '../exchange/engine.ts'
import type { MockKind } from '../document/kind.ts'
import type { Json, JsonObject } from '../document/json.ts'
import { CompiledGraph } from '../graph/compiled-graph.ts'
import { readGraphParts, type GraphParts } from '../graph/definition.ts'
import { Renderer } from '../response/rendering.ts'

/** The parts besides the document, as JSON. */
export interface JsonParts {
  settings: JsonObject
  rules: Json[]
  overrides: JsonObject
}

/** An OpenAPI document. `bytes`: memory of the document. */
export interface ApiLive extends Live {
  kind: 'openapi'
  bytes: number
}

/** A GraphQL schema. */
export interface GraphLive {
  kind: 'graphql'
  graph: CompiledGraph
  parts: GraphParts
  bytes: number
}

export type CompiledLive = ApiLive | GraphLive

/** What all kinds of documents have. */
export interface LiveFacts {
  title: string
  apiVersion: string
  /** Keys. */
  operations: string[]
  /** The key of an operation by any of its names. */
  keyOf(name: string): string | undefined
}

export function factsOf(live: CompiledLive): LiveFacts {
  if (live.kind === 'graphql') {
    const { graph } = live
    const operations = graph.operations.map(({ key }) => key)
    return { title: graph.title, apiVersion: '', operations, keyOf: name => graph.operation(name)?.key }
  }
  const { document, operations } = live.api
  return {
    title: document.title,
    apiVersion: document.apiVersion,
    operations: operations.map(({ key }) => key),
    keyOf: name => live.api.operation(name)?.key,
  }
}

export function partsOfLive({ parts }: CompiledLive): JsonParts {
  return 'subscription' in parts.settings
    ? {
        settings: parts.settings.asJson,
        rules: (parts as GraphParts).rules.map(rule => rule.asJson),
        overrides: parts.overrides.asJson(),
      }
    : partsToJson(parts as Live['parts'])
}

/** Compiles a checked definition. Throws if a part is invalid, which the check excludes. */
export function compile(
  { kind, served, given }: { kind: MockKind; served: string; given: GivenParts },
  limits: Limits,
): CompiledLive {
  if (kind === 'graphql') {
    const graph = new CompiledGraph(served)
    return { kind, graph, parts: valid(readGraphParts(given, limits)), bytes: graph.bytes }
  }
  const root = JSON.parse(served) as JsonObject
  const api = new CompiledApi(root, limits.bounds)
  return { kind, api, parts: apiParts(api, given, limits), renderer: new Renderer(api), bytes: heldValueBytes(root) }
}

/** The definition with other parts. */
export function recompile(live: CompiledLive, parts: JsonParts, limits: Limits): CompiledLive {
  return live.kind === 'graphql'
    ? { ...live, parts: valid(readGraphParts(parts, limits)) }
    : { ...live, parts: apiParts(live.api, parts, limits) }
}

function apiParts(api: CompiledApi, given: GivenParts, limits: Limits): Live['parts'] {
  return valid(readParts(given, limits, name => api.operation(name)?.key))
}

function valid<Parts>(read: { parts: Parts } | { errors: { message: string }[] }): Parts {
  if ('errors' in read) throw new Error(read.errors[0]?.message ?? 'invalid definition')
  return read.parts
}
