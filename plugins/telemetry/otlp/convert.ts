/** What the three kinds of OTLP requests have in common: resources, ids, and a walk through the records. */
import { Pacer, type JsonObject } from 'svc/plugin'
import { heldValueBytes, own } from 'svc/toolkit'
import { type Intake, Rejected } from '../records/intake.ts'
import type { FactName } from '../records/http-facts.ts'
import type { Kind } from '../records/record.ts'
import { attributesOf, textOf, type OtlpNode } from './node.ts'

/** The source of what comes over OTLP. */
export const OTLP = 'otlp'

/** What a record needs of its surroundings. */
export interface RecordContext {
  resource: JsonObject
  /** `service.name` of the resource. */
  service: string | null
  /** Names of members of `telemetry.fields`. */
  renamed: ReadonlyMap<FactName, readonly string[]>
  receivedAt: string
}

export interface WalkOptions<K extends Kind> {
  /** Names of the lists of resources, of scopes in them, and of records in these. */
  names: readonly [resources: string, scopes: string, records: string]
  intake: Intake<K>
  renamed: RecordContext['renamed']
  workMs: number
  /** Adds the records of one message. */
  add(node: OtlpNode, context: RecordContext): Iterable<void> | void
}

const MAX_RESOURCE_BYTES = 16_384

/** Adds all records of a request; lets other requests run in between. Throws an `OtlpProblem`. */
export async function walk<K extends Kind>(root: OtlpNode, options: WalkOptions<K>): Promise<void> {
  const { names, intake, renamed, workMs, add } = options
  const [resources, scopes, records] = names
  const pacer = new Pacer(workMs)
  const receivedAt = new Date().toISOString()
  for (const container of root.children(resources)) {
    const context = contextOf(container, intake, renamed, receivedAt)
    for (const scope of container.children(scopes)) {
      for (const node of scope.children(records)) {
        if (context === null) intake.reject(`a resource has more than ${MAX_RESOURCE_BYTES} bytes`)
        else for (const _ of add(node, context) ?? []) if (pacer.isDue) await pacer.pause()
        if (pacer.isDue) await pacer.pause()
      }
    }
  }
}

/** Null: the resource is too large. */
function contextOf<K extends Kind>(
  container: OtlpNode,
  intake: Intake<K>,
  renamed: RecordContext['renamed'],
  receivedAt: string,
): RecordContext | null {
  try {
    const node = container.child('resource')
    const resource = node === undefined || intake.isFull ? {} : attributesOf(node.all().attributes, 'resource')
    if (heldValueBytes(resource) > MAX_RESOURCE_BYTES) return null
    const service = own(resource, 'service.name')
    return { resource, service: typeof service === 'string' ? service : null, renamed, receivedAt }
  } catch (error) {
    if (error instanceof Rejected) return null
    throw error
  }
}

/** The session that a report names itself: the attribute `svc.session` of the record, or of its resource. */
export function namedSession(attributes: JsonObject, resource: JsonObject = {}): string | null {
  const name = own(attributes, 'svc.session') ?? own(resource, 'svc.session')
  return typeof name === 'string' ? name : null
}

const TRACE_ID_DIGITS = 32
const SPAN_ID_DIGITS = 16

/** Throws `Rejected` for an id that is no id of a trace (16 bytes, not all zero). */
export function traceIdOf(message: JsonObject): string {
  return idOf(message, 'traceId', TRACE_ID_DIGITS)
}

/** The same for a span (8 bytes). */
export function spanIdOf(message: JsonObject): string {
  return idOf(message, 'spanId', SPAN_ID_DIGITS)
}

/** Null without an id, and for zeros. */
export function optionalIdOf(message: JsonObject, name: string): string | null {
  const id = textOf(message, name)
  if (id === '' || /^0+$/.test(id)) return null
  return idOf(message, name, name === 'traceId' ? TRACE_ID_DIGITS : SPAN_ID_DIGITS)
}

function idOf(message: JsonObject, name: string, digits: number): string {
  const id = textOf(message, name)
  if (id.length !== digits || !/^[\da-f]+$/i.test(id))
    throw new Rejected(`${name} must have ${digits / 2} bytes (${digits} hexadecimal digits in JSON)`)
  if (/^0+$/.test(id)) throw new Rejected(`${name} must not be all zero`)
  return id.toLowerCase()
}
