/** A gateway that joins the `core` supergraph of svc, and keeps every rule unless a fault says otherwise. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  execute,
  GraphQLError,
  Kind,
  OperationTypeNode,
  parse,
  validate,
  valueFromASTUntyped,
  visit,
  astFromValue,
  GraphQLScalarType,
  type DocumentNode,
  type ExecutionResult,
  type OperationDefinitionNode,
} from 'graphql'
import { isRecord } from 'svc/toolkit'
import { valueAt } from '../../../plugins/probe/checks/gql/answers.ts'
import { Join, type JoinError, type SubgraphAnswer } from './join.ts'
import { legacySocketEvents, serveSockets, socketEvents, streamEvents } from './sockets.ts'
import { readSupergraph, type Supergraph } from './supergraph.ts'

/** What one wrong gateway does. */
export const FAULTS = [
  'rounds totals',
  'ignores overrides',
  'forgets interface objects',
  'keys of null',
  'each entity alone',
  'one by one',
  'mutations at once',
  'sends again',
  'forgets headers',
  'forwards cookies',
  'shows addresses',
  'paths of subgraphs',
  'allows null',
  'all or nothing',
  'any type',
  'breaks on no list',
  'waits forever',
  'stays',
  'loses events',
  'keeps subscriptions',
  'completes when cut',
  'forgets documents',
  'executes everything',
  'shows entities',
  'shows hidden fields',
  'mutates by GET',
  'takes text',
  'splits aliases',
  'waits for deferred parts',
  'changes files',
] as const
export type GraphFault = (typeof FAULTS)[number]

export interface GraphGatewayOptions {
  upstream: string
  /** Of the download. */
  session?: string
  faults?: readonly GraphFault[]
  /** Ids of the only documents that it executes. */
  documents?: Readonly<Record<string, string>>
  /** Of a subgraph, in milliseconds. */
  timeoutMs?: number
  /** How it subscribes at subgraphs. Default: by server-sent events. */
  subscribesOver?: keyof typeof SUBSCRIBE
}

const PROPAGATED = ['x-tenant']
const MAX_ALIASES = 100
const MAX_BATCH = 10
/** Characters of a document. */
const MAX_LENGTH = 4_000
const PREFLIGHT = ['apollo-require-preflight', 'x-apollo-operation-name']

const SUBSCRIBE = {
  events: streamEvents,
  'graphql-transport-ws': socketEvents,
  'graphql-ws': legacySocketEvents,
} as const

interface Body {
  query?: string
  variables?: Record<string, unknown>
  documentId?: string
  extensions?: { persistedQuery?: { sha256Hash?: string } }
}

interface Asked {
  signal: AbortSignal
  headers: IncomingMessage['headers']
}

export async function startGraphGateway(
  options: GraphGatewayOptions,
): Promise<{ url: string; close(): Promise<void> }> {
  const faults = new Set<string>(options.faults ?? [])
  const path = options.session === undefined ? '' : `/s/${options.session}`
  const sdl = await (await fetch(`${options.upstream}${path}/graphql/supergraph.graphql`)).text()
  const supergraph = readSupergraph(sdl, {
    showsHidden: faults.has('shows hidden fields'),
    allowsNull: faults.has('allows null'),
  })
  const gateway = new GraphGateway(supergraph, faults, options)
  const server = createServer((request, response) => {
    void gateway.serve(request, response).catch(() => response.destroy())
  })
  const closeSockets = serveSockets(server, supergraph.api, operation => {
    const left = new AbortController()
    return gateway.events(operation, { signal: left.signal, headers: {} }, left.signal)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise(resolve => {
        closeSockets()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class GraphGateway {
  readonly #supergraph: Supergraph
  readonly #faults: ReadonlySet<string>
  readonly #options: GraphGatewayOptions
  readonly #persisted = new Map<string, string>()

  constructor(supergraph: Supergraph, faults: ReadonlySet<string>, options: GraphGatewayOptions) {
    this.#supergraph = supergraph
    this.#faults = faults
    this.#options = options
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://gateway')
    if (pathname !== '/graphql') return send(response, 404, 'text/plain', 'not found')
    const left = new AbortController()
    if (!this.#faults.has('stays')) response.on('close', () => left.abort())
    const asked: Asked = { signal: left.signal, headers: request.headers }
    const content = await bodyOf(request)
    const type = request.headers['content-type'] ?? ''
    if (request.method === 'GET') {
      const query = searchParams.get('query') ?? ''
      if (operationOf(query)?.operation === OperationTypeNode.MUTATION && !this.#faults.has('mutates by GET'))
        return this.#refuse(request, response, 405, 'mutations need POST')
      return this.#answer({ query }, asked, request, response)
    }
    if (type.startsWith('multipart/form-data')) return this.#upload(content, type, request, response)
    if (!type.startsWith('application/json') && !(this.#faults.has('takes text') && type.startsWith('text/plain')))
      return this.#refuse(request, response, 415, 'expected application/json')
    const body = JSON.parse(content.toString()) as Body | Body[]
    if (!Array.isArray(body)) return this.#answer(body, asked, request, response)
    if (body.length > MAX_BATCH)
      return this.#refuse(request, response, 400, `a batch has at most ${MAX_BATCH} operations`)
    const results = await Promise.all(body.map(one => this.#result(one, asked)))
    send(response, 200, 'application/json', JSON.stringify(results.map(({ result }) => result)))
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string): void {
    send(response, status, typeFor(request), JSON.stringify({ errors: [{ message }] }))
  }

  async #answer(body: Body, asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const accept = request.headers.accept ?? ''
    const operation = operationOf(body.query ?? '')
    if (operation?.operation === OperationTypeNode.SUBSCRIPTION)
      return this.#subscribe(operation, asked, accept, response)
    if (accept.includes('deferSpec') && /@defer/.test(body.query ?? '')) return this.#defer(operation!, asked, response)
    const { result, isRequestError } = await this.#result(body, asked)
    if (result === null) return void response.destroy()
    const type = typeFor(request)
    const status = isRequestError && type.includes('graphql-response') ? 400 : 200
    send(response, status, type, JSON.stringify(result))
  }

  async #result(body: Body, asked: Asked): Promise<{ result: ExecutionResult | null; isRequestError: boolean }> {
    const error = (message: string, code?: string): { result: ExecutionResult; isRequestError: boolean } => ({
      result: { errors: [new GraphQLError(message, code === undefined ? {} : { extensions: { code } })] },
      isRequestError: true,
    })
    const query = this.#queryOf(body)
    if (query === null) return error('PersistedQueryNotFound', 'PERSISTED_QUERY_NOT_FOUND')
    if (query === undefined) return error('only known documents are executed', 'PERSISTED_DOCUMENT_REQUIRED')
    let document: DocumentNode
    try {
      document = parse(query)
    } catch (problem) {
      return error((problem as Error).message)
    }
    const shown = this.#faults.has('shows entities') && query.includes('_service')
    if (shown) return { result: { data: { _service: { sdl: 'type Query' } } }, isRequestError: false }
    const operation = document.definitions.find(one => one.kind === Kind.OPERATION_DEFINITION)!
    const isWide = operation.selectionSet.selections.length > MAX_ALIASES
    if (isWide && !this.#faults.has('splits aliases')) return error(`more than ${MAX_ALIASES} fields`)
    if (!isWide && query.length > MAX_LENGTH) return error('too deep')
    // Wide ones are valid, and long to look through.
    const [problem] = isWide ? [] : validate(this.#supergraph.api, document)
    if (problem !== undefined) return error(problem.message)
    return { result: await this.#execute(withValues(operation, body.variables ?? {}), asked), isRequestError: false }
  }

  /** Null: not known; undefined: not allowed. */
  #queryOf({ query, documentId, extensions }: Body): string | null | undefined {
    const { documents } = this.#options
    if (documents !== undefined) {
      if (documentId !== undefined) return documents[documentId] ?? null
      return this.#faults.has('executes everything') ? query : undefined
    }
    const hash = extensions?.persistedQuery?.sha256Hash
    if (hash === undefined) return query ?? ''
    if (query === undefined) return this.#persisted.get(hash) ?? null
    if (createHash('sha256').update(query).digest('hex') === hash && !this.#faults.has('forgets documents'))
      this.#persisted.set(hash, query)
    return query
  }

  #join(asked: Asked): Join {
    return new Join({
      supergraph: this.#supergraph,
      faults: this.#faults,
      ask: (graph, body, isOfEntities) => this.#ask(graph, body, isOfEntities, asked),
    })
  }

  async #execute(operation: OperationDefinitionNode, asked: Asked): Promise<ExecutionResult | null> {
    const join = this.#join(asked)
    const row = operation.selectionSet.selections.every(
      one => one.kind === Kind.FIELD && one.name.value.startsWith('__'),
    )
      ? {}
      : await join.run(operation)
    if (join.errors.some(({ code }) => code === 'BROKEN')) return null
    if (this.#faults.has('all or nothing') && join.errors.some(({ code }) => code === 'SUBGRAPH_FAILED'))
      return { errors: join.errors.map(({ message }) => new GraphQLError(message)), data: null }
    return this.#completed(operation, row, join.errors)
  }

  /** Checks the values and lets null climb. */
  #completed(
    operation: OperationDefinitionNode,
    row: Record<string, unknown>,
    errors: readonly JoinError[],
  ): ExecutionResult {
    if (this.#faults.has('rounds totals') && isRecord(row.order)) row.order.total = Math.round(Number(row.order.total))
    if (this.#faults.has('forgets interface objects') && Array.isArray(row.offers))
      for (const offer of row.offers as Record<string, unknown>[]) delete offer.reviewCount
    const byPath = new Map(errors.map(error => [error.path.join('.'), error]))
    const result = execute({
      schema: this.#supergraph.api,
      document: { kind: Kind.DOCUMENT, definitions: [operation] },
      rootValue: row,
      typeResolver: value => (value as { __typename: string }).__typename,
      fieldResolver: (source: unknown, _args, _context, { path }) => {
        const value = (source as Record<string, unknown> | undefined)?.[path.key]
        const parts: (string | number)[] = []
        for (let at: typeof path | undefined = path; at !== undefined; at = at.prev) parts.unshift(at.key)
        const error = byPath.get(parts.join('.'))
        if (error === undefined || (value !== undefined && value !== null)) return value ?? null
        throw new GraphQLError(error.message, { extensions: { code: error.code ?? 'SUBGRAPH' } })
      },
    }) as ExecutionResult
    // Those below a null are errors too.
    const reported = new Set(result.errors?.map(({ path }) => path?.join('.')))
    const unreported = errors.filter(({ path }) => !reported.has(path.join('.')))
    const more = unreported.map(
      ({ path, message, code }) => ({ message, path, extensions: { code } }) as unknown as GraphQLError,
    )
    const all: ExecutionResult =
      errors.length === 0 ? result : { ...result, errors: [...(result.errors ?? []), ...more] }
    return this.#withPaths(this.#faults.has('any type') ? withRawPrices(all, row) : all)
  }

  #withPaths(result: ExecutionResult): ExecutionResult {
    if (!this.#faults.has('paths of subgraphs') || result.errors === undefined) return result
    const wrong = result.errors.map(({ message, path, extensions }) => ({
      message,
      path: ['_entities', ...(path ?? []).slice(1)],
      extensions,
    }))
    return { ...result, errors: wrong as unknown as GraphQLError[] }
  }

  async #ask(graph: string, body: object, isOfEntities: boolean, asked: Asked): Promise<SubgraphAnswer> {
    const attempts = this.#faults.has('sends again') ? 2 : 1
    let failed: SubgraphAnswer | null = null
    for (let attempt = 0; attempt < attempts; attempt++) {
      failed = await this.#askOnce(graph, body, isOfEntities, asked)
      if (!failed.isFailed) return failed
    }
    return failed!
  }

  async #askOnce(
    graph: string,
    body: object,
    isOfEntities: boolean,
    { signal, headers }: Asked,
  ): Promise<SubgraphAnswer> {
    const url = this.#supergraph.urls.get(graph)!
    const names = isOfEntities && this.#faults.has('forgets headers') ? [] : PROPAGATED
    const forwarded = [...names, ...(this.#faults.has('forwards cookies') ? ['cookie'] : [])]
    const limit = AbortSignal.timeout(this.#faults.has('waits forever') ? 60_000 : (this.#options.timeoutMs ?? 8_000))
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...Object.fromEntries(
            forwarded.flatMap(name => (headers[name] === undefined ? [] : [[name, String(headers[name])]])),
          ),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, limit]),
      })
      const answer = (await response.json()) as { data?: unknown; errors?: SubgraphAnswer['errors'] }
      if (answer.data === undefined && answer.errors === undefined) throw new Error(`${response.status}`)
      const lists = isOfEntities && isRecord(answer.data) ? Object.values(answer.data) : []
      if (lists.some(list => list !== null && !Array.isArray(list)))
        return this.#faults.has('breaks on no list')
          ? failure('broken', 'BROKEN')
          : failure('the subgraph answers no list', 'SUBGRAPH')
      return { data: answer.data, errors: answer.errors ?? [], isFailed: false }
    } catch {
      return failure(
        this.#faults.has('shows addresses') ? `no answer of ${url}` : 'a subgraph does not answer',
        'SUBGRAPH_FAILED',
      )
    }
  }

  async #subscribe(
    operation: OperationDefinitionNode,
    asked: Asked,
    accept: string,
    response: ServerResponse,
  ): Promise<void> {
    const isMultipart = accept.includes('multipart/mixed')
    const controller = new AbortController()
    if (!this.#faults.has('keeps subscriptions')) response.on('close', () => controller.abort())
    response.writeHead(200, {
      'content-type': isMultipart ? 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0' : 'text/event-stream',
    })
    if (isMultipart) response.write('--graphql')
    const write = (payload: object | null, errors?: object[]): void => {
      const part = isMultipart ? { payload, ...(errors === undefined ? {} : { errors }) } : payload
      response.write(
        isMultipart
          ? `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(part)}\r\n--graphql`
          : `event: next\ndata: ${JSON.stringify(payload ?? { errors })}\n\n`,
      )
    }
    for await (const result of this.events(operation, asked, controller.signal))
      if (result.data === undefined) write(null, result.errors as object[])
      else write(result)
    response.end(isMultipart ? '--\r\n' : 'event: complete\ndata:\n\n')
  }

  /** The joined results of a subscription; one without data if the subgraph has broken it off. */
  async *events(
    operation: OperationDefinitionNode,
    asked: Asked,
    signal: AbortSignal,
  ): AsyncGenerator<ExecutionResult> {
    const join = this.#join(asked)
    const { graph, query } = join.subscription(operation)
    const subscribe = SUBSCRIBE[this.#options.subscribesOver ?? 'events']
    let isComplete = false
    let count = 0
    try {
      for await (const event of subscribe(this.#supergraph.urls.get(graph)!, query, signal)) {
        if ('isComplete' in event) {
          isComplete = true
          continue
        }
        count++
        if (this.#faults.has('loses events') && count === 2) continue
        yield this.#completed(operation, await join.event(graph, operation, event.data), join.errors)
      }
    } catch {
      // The stream has broken off.
    }
    if (!isComplete && !this.#faults.has('completes when cut'))
      yield { errors: [new GraphQLError('the subscription broke off')] }
  }

  async #defer(operation: OperationDefinitionNode, asked: Asked, response: ServerResponse): Promise<void> {
    const first = visit(operation, { InlineFragment: () => null })
    const whole = visit(operation, { Directive: () => null })
    response.writeHead(200, { 'content-type': 'multipart/mixed; boundary="-"; deferSpec=20220824' })
    const part = (value: object): void =>
      void response.write(`\r\n---\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(value)}`)
    const send = async (): Promise<void> => {
      const result = await this.#execute(first, asked)
      part({ ...result, hasNext: true })
      response.write('\r\n---')
    }
    if (!this.#faults.has('waits for deferred parts')) await send()
    const all = await this.#execute(whole, asked)
    if (this.#faults.has('waits for deferred parts')) await send()
    response.write(
      `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify({ hasNext: false, incremental: [{ data: all?.data?.user, path: ['user'] }] })}`,
    )
    response.end('\r\n-----\r\n')
  }

  /** Only the mutation with a file, which goes to its subgraph as it is. */
  async #upload(content: Buffer, type: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!PREFLIGHT.some(name => request.headers[name] !== undefined))
      return this.#refuse(request, response, 400, 'a preflight is required')
    const changed = Buffer.from(content)
    if (this.#faults.has('changes files')) changed[Math.floor(changed.length / 2)]! ^= 1
    const upstream = await fetch(this.#supergraph.urls.get('REVIEWS')!, {
      method: 'POST',
      headers: { 'content-type': type, 'apollo-require-preflight': 'true' },
      body: changed,
    })
    send(response, 200, 'application/json', await upstream.text())
  }
}

/** Whatever the subgraph answers. */
function withRawPrices(result: ExecutionResult, { products }: Record<string, unknown>): ExecutionResult {
  if (!Array.isArray(products) || typeof valueAt(products, 0, 'price') !== 'string') return result
  return { data: { products } }
}

const failure = (message: string, code: string): SubgraphAnswer => ({
  data: null,
  errors: [{ message, extensions: { code } }],
  isFailed: true,
})

function typeFor({ headers }: IncomingMessage): string {
  return headers.accept?.includes('application/graphql-response+json') === true
    ? 'application/graphql-response+json'
    : 'application/json'
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

function operationOf(query: string): OperationDefinitionNode | null {
  try {
    const found = parse(query).definitions.find(one => one.kind === Kind.OPERATION_DEFINITION)
    return found ?? null
  } catch {
    return null
  }
}

/** Variables are written into the document. */
function withValues(operation: OperationDefinitionNode, variables: Record<string, unknown>): OperationDefinitionNode {
  const { variableDefinitions: _definitions, ...rest } = operation
  return visit(rest, {
    Variable: node => parseValueOf(variables[node.name.value]),
  })
}

function parseValueOf(value: unknown): ReturnType<typeof astFromValue> {
  return astFromValue(value, new GraphQLScalarType({ name: 'Any', parseLiteral: valueFromASTUntyped }))
}
