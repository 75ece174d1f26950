/** The tools that plugins make of operations of the control plane. */
import type { InProcessCall, JsonSchema, RouteDescription } from '../contract/plugin.ts'
import type { ControlTool, ControlTools, ResolvedControlTool } from '../contract/control-tools.ts'
import { replaceParameters, templateParameters } from '../toolkit/path-template.ts'
import { isRecord } from '../contract/record.ts'
import { neededScope } from '../http/access/scopes.ts'
import type { RouteRecord } from '../http/routes/route-record.ts'
import { INLINE } from './openapi-schemas.ts'
import { buildOperation, type OpenapiOperation, type OpenapiParameter } from './openapi-operation.ts'
import { listOperations, type Operation } from './operations.ts'

const NAME = /^[a-z][a-z0-9_]{0,63}$/

export class ControlToolRegistry implements ControlTools {
  readonly #tools = new Map<string, ControlTool>()
  readonly #routes: () => readonly RouteRecord[]

  /** `routes` are those of the generation. */
  constructor(routes: () => readonly RouteRecord[]) {
    this.#routes = routes
  }

  tool(tool: ControlTool): void {
    if (!NAME.test(tool.name)) throw new Error(`the tool "${tool.name}" must match ${NAME.source}`)
    if (this.#tools.has(tool.name)) throw new Error(`the tool "${tool.name}" is registered twice`)
    if ((tool.inputSchema === undefined) !== (tool.request === undefined))
      throw new Error(`the tool "${tool.name}" needs both "inputSchema" and "request", or none of them`)
    this.#tools.set(tool.name, tool)
  }

  list(): readonly ResolvedControlTool[] {
    const operations = listOperations([...this.#routes()])
    const found = [...this.#tools.values()].flatMap(tool => {
      const { method, path } = tool.operation
      const own = operations.find(operation => operation.path === path && operation.expandedMethods.includes(method))
      return own === undefined ? [] : [{ tool, operation: own }]
    })
    const isOfCore = ({ operation }: { operation: Operation }): boolean => operation.plugin === null
    return [...found.filter(isOfCore), ...found.filter(one => !isOfCore(one))].map(({ tool, operation }) =>
      resolve(tool, operation),
    )
  }
}

function resolve(tool: ControlTool, operation: Operation): ResolvedControlTool {
  const { method, path } = tool.operation
  const derived = deriveArguments(operation, method)
  const { summary, description } = operation.description
  return {
    name: tool.name,
    description: tool.description ?? `${summary}.${description === undefined ? '' : ` ${description}`}`,
    inputSchema: tool.inputSchema ?? derived.schema,
    annotations: {
      readOnlyHint: tool.annotations?.readOnlyHint ?? method === 'GET',
      destructiveHint: tool.annotations?.destructiveHint ?? method === 'DELETE',
      openWorldHint: false,
    },
    scope: operation.description.controlScope ?? neededScope(method, path),
    request: args => tool.request?.(args) ?? requestOf(args, method, path, derived),
    follow: tool.follow?.bind(tool) ?? null,
    stop: tool.stop?.bind(tool) ?? null,
  }
}

/** The arguments of an operation, and which of them are in its path and query. Others are in the body. */
interface DerivedArguments {
  schema: JsonSchema
  inPath: readonly string[]
  isInQuery(name: string): boolean
  body: BodyArguments
}

/** The arguments have the schemas of the OpenAPI document. */
function deriveArguments(operation: Operation, method: string): DerivedArguments {
  const inPath = templateParameters(operation.path).map(({ name }) => name)
  const { parameters = [], requestBody } = buildOperation({
    method: method.toLowerCase(),
    operationId: operation.path,
    parameterNames: inPath,
    sharing: [{ ...operation, description: withoutExamples(operation.description) }],
    schemas: INLINE,
  })
  const shown = parameters.filter(parameter => parameter.in !== 'header')
  const plain = shown.filter(({ name }) => !isPattern(name))
  const patterns = shown
    .filter(({ name }) => isPattern(name))
    .map(parameter => [patternOf(parameter), parameter] as const)
  const inQuery = new Set(plain.filter(parameter => parameter.in === 'query').map(({ name }) => name))
  const own = new Set(plain.map(({ name }) => name))
  const body = bodyArguments(requestBody, own)
  const required = [...plain.filter(parameter => parameter.required).map(({ name }) => name), ...body.required]
  const schema: JsonSchema = {
    type: 'object',
    ...body.definitions,
    properties: {
      ...Object.fromEntries(plain.map(parameter => [parameter.name, schemaOf(parameter)])),
      ...body.properties,
    },
    ...(patterns.length === 0
      ? {}
      : {
          patternProperties: Object.fromEntries(patterns.map(([pattern, parameter]) => [pattern, schemaOf(parameter)])),
        }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  }
  const prefixes = patterns.map(([, { name }]) => prefixOf(name))
  return {
    schema,
    inPath,
    isInQuery: name => inQuery.has(name) || prefixes.some(prefix => name.startsWith(prefix)),
    body,
  }
}

/** Examples may name what exists only when the instance serves. */
function withoutExamples({ summary, category, parameters, requestBody }: RouteDescription): RouteDescription {
  return { summary, category, parameters, requestBody, examples: [] }
}

/** `header.<name>` stands for all names with this prefix. */
function isPattern(name: string): boolean {
  return /^[a-z]+\.<[a-z]+>$/.test(name)
}

function patternOf({ name }: OpenapiParameter): string {
  return `^${prefixOf(name).slice(0, -1)}\\..+$`
}

/** `header.` of `header.<name>`. */
function prefixOf(name: string): string {
  return name.slice(0, name.indexOf('.') + 1)
}

function schemaOf({ schema, description }: OpenapiParameter): JsonSchema {
  return description === undefined ? schema : { ...schema, description }
}

interface BodyArguments {
  properties: Record<string, JsonSchema>
  required: string[]
  /** What the schemas of the members refer to. */
  definitions: JsonSchema
  /** The body is the argument `body`. */
  isWhole: boolean
  isRequired: boolean
}

/** Members with the name of a parameter are left out: the parameter says the same. */
function bodyArguments(requestBody: OpenapiOperation['requestBody'], taken: ReadonlySet<string>): BodyArguments {
  const type = Object.keys(requestBody?.content ?? {}).find(name => name.endsWith('json'))
  if (requestBody === undefined || type === undefined)
    return { properties: {}, required: [], definitions: {}, isWhole: false, isRequired: false }
  const { schema } = requestBody.content[type]!
  const isRequired = requestBody.required === true
  if (schema.type !== 'object' || !isRecord(schema.properties))
    return {
      properties: { body: { ...schema, description: requestBody.description ?? 'The body of the request' } },
      required: isRequired ? ['body'] : [],
      definitions: {},
      isWhole: true,
      isRequired,
    }
  const members = Object.entries(schema.properties as Record<string, JsonSchema>).filter(([name]) => !taken.has(name))
  const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
  return {
    properties: Object.fromEntries(members),
    required: isRequired ? required.filter(name => !taken.has(name)) : [],
    definitions: isRecord(schema.$defs) ? { $defs: schema.$defs } : {},
    isWhole: false,
    isRequired,
  }
}

function requestOf(
  args: Record<string, unknown>,
  method: string,
  path: string,
  derived: DerivedArguments,
): InProcessCall {
  const { inPath, isInQuery, body } = derived
  const query = new URLSearchParams()
  const members: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(args)) {
    if (inPath.includes(name)) continue
    if (isInQuery(name)) query.append(name, textOf(value))
    else Object.defineProperty(members, name, { value, enumerable: true, configurable: true })
  }
  const hasMembers = body.isRequired || Object.keys(members).length > 0
  const content = body.isWhole ? members.body : hasMembers ? members : undefined
  return {
    method,
    path: replaceParameters(path, ({ name }) => encodeURIComponent(textOf(args[name]))),
    query: query.toString(),
    ...(content === undefined ? {} : bodyOf(content)),
  }
}

/** A text is sent as it is: it may be a document in another format. */
function bodyOf(content: unknown): Pick<InProcessCall, 'headers' | 'body'> {
  if (typeof content === 'string') return { body: Buffer.from(content) }
  return { headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(content)) }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
