/** Owns the JSON-RPC routes: `POST /a2a` and `POST /a2a/{agent}`. */
import {
  describe,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
} from 'svc/plugin'
import type { A2a } from '../a2a.ts'
import { makeCall } from '../calls/call.ts'
import { rpcError, toA2aError } from '../protocol/errors.ts'
import { readRpcRequest, type RpcFacts } from '../bindings/json-rpc.ts'
import { FAIL_HEADER } from '../faults/requested-fault.ts'
import { perform } from '../operations/perform.ts'
import { sendJson, sendResult, sendStream } from './reply.ts'
import { knownTenant } from '../tasks/scope.ts'
import { readVersion } from '../protocol/version.ts'
import { agentOf } from './agent.ts'
import { AGENT_PARAMETER } from './cards.ts'

export function registerJsonRpc(app: FastifyInstance, a2a: A2a): void {
  const serve = (request: FastifyRequest, reply: FastifyReply) => serveRpc(a2a, request, reply)
  app.post('/a2a', describe(describeRpc('/a2a', 'JSON-RPC of the default agent', 'echo')), serve)
  // A redirect would lose the body.
  const withSlash = describeRpc('/a2a/', 'JSON-RPC of the default agent, with a slash at the end', 'echo')
  app.post('/a2a/', describe(withSlash), serve)
  // Ids of agents have no dot, unlike the names of documents, which have no POST.
  for (const [route, path, summary] of [
    ['/a2a/:agent(^[^.]+$)', '/a2a/weather', 'JSON-RPC of an agent'],
    ['/a2a/:agent(^[^.]+$)/', '/a2a/weather/', 'JSON-RPC of an agent, with a slash at the end'],
  ] as const)
    app.post(
      route,
      describe({
        ...describeRpc(path, summary, 'weather'),
        path: '/a2a/{agent}',
        parameters: [AGENT_PARAMETER, VERSION_PARAMETER, FAIL_PARAMETER],
        responses: {
          ...RESPONSES,
          404: { description: 'Unknown agent' },
          405: { description: 'A name with a period: a document, which has only GET' },
        },
      }),
      serve,
    )
}

async function serveRpc(a2a: A2a, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const agent = agentOf(a2a, request)
  const version = readVersion(request)
  const facts: RpcFacts = { id: null, tenant: null }
  try {
    const { method, params } = readRpcRequest(a2a.svc.http.body(request), version, facts)
    void reply.header('A2A-Version', method.wire.protocolVersion)
    facts.tenant = knownTenant(a2a, params.tenant)
    const call = makeCall(a2a, agent, method.wire, request, { binding: 'JSON-RPC', tenant: facts.tenant })
    if (call.extensions.length > 0) void reply.header('A2A-Extensions', call.extensions.join(', '))
    const outcome = await perform(method.run, call, params)
    if (outcome.kind === 'redirect') return reply.redirect(outcome.location, 307)
    const { wireFault } = outcome
    const id = wireFault === 'wrong-id' ? otherId(facts.id) : facts.id
    const envelope = (result: unknown) => ({ jsonrpc: '2.0', id, result })
    if (outcome.kind === 'stream') {
      sendStream(a2a, request, reply, { ...outcome, envelope })
      return reply
    }
    return sendResult(reply.headers(outcome.headers), envelope(outcome.result), { wireFault })
  } catch (caught) {
    const error = toA2aError(caught, facts.tenant)
    void reply
      .header('A2A-Version', facts.method?.wire.protocolVersion ?? version.protocolVersion ?? '1.0')
      .headers(error.headers)
    // All other errors are part of a successful response.
    if (error.reason === 'UNAUTHENTICATED' || error.reason === 'UNKNOWN_FAULT') void reply.code(error.kind.http)
    return sendJson(reply, { jsonrpc: '2.0', id: facts.id, error: rpcError(error) })
  }
}

/** An id that no request has. */
function otherId(id: RpcFacts['id']): RpcFacts['id'] {
  return typeof id === 'number' ? id + 1000 : `${String(id)}-other`
}

export const VERSION_PARAMETER = {
  name: 'A2A-Version',
  in: 'header',
  description: '1.0 or 0.3 (default)',
  schema: { type: 'string', enum: ['1.0', '0.3'] },
} as const

export const FAIL_PARAMETER = {
  name: FAIL_HEADER,
  in: 'header',
  description: 'Faults of the protocol, such as `cut@2`',
  schema: { type: 'string' },
} as const

const RESPONSES = {
  200: { description: 'A JSON-RPC response, or an event stream of them' },
  307: { description: 'The fault `redirect`' },
  400: { description: 'The list of faults cannot be read' },
  401: { description: 'The extended card was requested without a valid token' },
}

function describeRpc(path: string, summary: string, agent: string): RouteDescription {
  const text = agent === 'weather' ? 'What is the weather in Utrecht?' : 'Hello, agent'
  const v1 = { name: 'A2A-Version', value: '1.0' }
  const json = { name: 'Content-Type', value: 'application/json' }
  const call = (method: string, params: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const example = (name: string, headers: (typeof json)[], body: string) => ({
    name,
    method: 'POST',
    path,
    headers: [json, ...headers],
    body,
    bodyType: 'json' as const,
    expectStatus: 200,
  })
  return {
    category: 'A2A Agents',
    summary,
    description:
      'Protocol 1.0 with the header `A2A-Version: 1.0` (SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask, push configs, GetExtendedAgentCard), otherwise 0.3 (message/send, tasks/get and so on).',
    parameters: [VERSION_PARAMETER, FAIL_PARAMETER],
    requestBody: { required: true, content: { 'application/json': { type: 'object' } } },
    credentials: ['none', 'bearer'],
    responses: RESPONSES,
    examples: [
      example(
        'Send (1.0)',
        [v1],
        call('SendMessage', { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }] } }),
      ),
      example(
        'Send (0.3)',
        [],
        call('message/send', {
          message: { kind: 'message', messageId: 'm-1', role: 'user', parts: [{ kind: 'text', text }] },
        }),
      ),
      example(
        'Stream (1.0)',
        [v1],
        call('SendStreamingMessage', { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }] } }),
      ),
      example('List tasks (1.0)', [v1], call('ListTasks', { pageSize: 10 })),
    ],
  }
}
