/** Builds the OpenAPI document from the route descriptions. */
import { type CatalogSelection, isSelected, type JsonSchema } from '../contract/plugin.ts'
import { templateParameters, templateShape, renameParameters, replaceParameters } from '../toolkit/path-template.ts'
import type { CategoryRanks } from './categories.ts'
import { listOperations, type Operation } from './operations.ts'
import { completeDescription, isControlPath, type Server, sessionServer } from './openapi-control.ts'
import { buildOperation, type OpenapiOperation } from './openapi-operation.ts'
import { securitySchemes, type SecurityScheme } from './openapi-security.ts'
import { SchemaRegistry } from './openapi-schemas.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'

/** The part of an OpenAPI 3.1.0 document that svc uses. */
export type OpenapiDocument = {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: Server[]
  tags: { name: string }[]
  /** By default, operations require no credential. */
  security: []
  paths: Record<string, PathItem>
  components: { securitySchemes: Record<string, SecurityScheme>; schemas: Record<string, JsonSchema> }
}
export type PathItem = Partial<Record<OpenapiMethod, OpenapiOperation>>

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const
/** Methods that a Path Item Object supports (OpenAPI 3.1.0, 4.8.9). */
export type OpenapiMethod = (typeof METHODS)[number]
const knownMethods: ReadonlySet<string> = new Set(METHODS)

const DESCRIPTION =
  'A test upstream for gateway demos and tests. Responses are deterministic, and captured requests can be inspected. The request headers `X-Svc-Delay`, `X-Svc-Abort` and `X-Svc-Fail` inject faults on every route.'

const ALL: CatalogSelection = { categories: [], plugins: [] }

/** All operations of a method of a path item. OpenAPI allows only one. */
interface Slot {
  path: string
  method: OpenapiMethod
  parameterNames: string[]
  operations: Operation[]
}

/**
 * Builds an OpenAPI 3.1.0 document. Methods that OpenAPI does not support are omitted. Templates that differ only in
 * parameter names or wildcards are the same path for OpenAPI; they share a path item with the names of the first one.
 * `isControl`: the document of the control plane, for generators of clients.
 */
export function buildOpenapi(
  routes: RouteRecord[],
  {
    baseUrl,
    version,
    categories: ranks,
    selection = ALL,
    isControl = false,
  }: {
    baseUrl: string
    version: string
    categories?: CategoryRanks
    selection?: CatalogSelection
    isControl?: boolean
  },
): OpenapiDocument {
  const operations = listOperations(routes, ranks).filter(
    ({ plugin, path, description }) =>
      isSelected(selection, { plugin, category: description.category }) && (!isControl || isControlPath(path)),
  )
  const slots = fillSlots(operations)
  const operationIds = new Set<string>()
  const schemas = new SchemaRegistry()
  const paths = new Map<string, PathItem>()
  for (const { path, method, parameterNames, operations: sharing } of slots) {
    const item = paths.get(path) ?? {}
    paths.set(path, item)
    const operationId = uniqueOperationId(operationIds, method, path)
    item[method] = buildOperation({
      method,
      operationId,
      parameterNames,
      sharing: isControl ? sharing.map(operation => completeDescription(operation, { method, operationId })) : sharing,
      schemas,
    })
  }
  const categories = new Set(slots.flatMap(slot => slot.operations.map(operation => operation.description.category)))
  return {
    openapi: '3.1.0',
    info: { title: isControl ? 'svc control plane' : 'svc', version, description: DESCRIPTION },
    servers: [isControl ? sessionServer(baseUrl) : { url: baseUrl }],
    tags: [...categories].map(name => ({ name })),
    security: [],
    paths: Object.fromEntries(paths),
    components: { securitySchemes: securitySchemes(operations), schemas: schemas.list() },
  }
}

function fillSlots(operations: Operation[]): Slot[] {
  const slots = new Map<string, Slot>()
  const namesOfShape = new Map<string, string[]>()
  for (const operation of operations) {
    const shape = templateShape(operation.path)
    const parameterNames = namesOfShape.get(shape) ?? distinctNames(operation.path)
    namesOfShape.set(shape, parameterNames)
    for (const upperMethod of operation.expandedMethods) {
      const method = upperMethod.toLowerCase()
      if (!isOpenapiMethod(method)) continue
      const key = `${method} ${shape}`
      const slot = slots.get(key)
      if (slot) slot.operations.push(operation)
      else
        slots.set(key, {
          path: renameParameters(operation.path, parameterNames),
          method,
          parameterNames,
          operations: [operation],
        })
    }
  }
  return [...slots.values()]
}

function isOpenapiMethod(method: string): method is OpenapiMethod {
  return knownMethods.has(method)
}

/** Unique parameter names of a template. In `/{path}/{*path}`, both would have the same name without the star. */
function distinctNames(template: string): string[] {
  const names: string[] = []
  for (const { name } of templateParameters(template)) {
    let distinct = name
    for (let count = 2; names.includes(distinct); count++) distinct = `${name}${count}`
    names.push(distinct)
  }
  return names
}

/** Creates a unique operation id, such as `getStatusByCode` for `GET /status/{code}`. */
function uniqueOperationId(taken: Set<string>, method: string, path: string): string {
  const words = replaceParameters(path, ({ name }) => ` by ${name} `)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  const stem =
    method + (words.length === 0 ? 'Root' : words.map(word => word[0]?.toUpperCase() + word.slice(1)).join(''))
  let id = stem
  for (let count = 2; taken.has(id); count++) id = `${stem}${count}`
  taken.add(id)
  return id
}
