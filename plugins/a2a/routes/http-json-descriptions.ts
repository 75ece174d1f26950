/** Owns the catalog entries of the HTTP+JSON operations. */
import { templateParameters } from 'svc/toolkit'
import type { RouteDescription, RouteExample, RouteParameter } from 'svc/plugin'
import type { Template } from '../bindings/http-json.ts'
import { AGENT_PARAMETER } from './cards.ts'
import { FAIL_PARAMETER, VERSION_PARAMETER } from './json-rpc.ts'

const V1 = [{ name: 'A2A-Version', value: '1.0' }]
const V1_JSON = [...V1, { name: 'Content-Type', value: 'application/json' }]
const UNKNOWN_TASK = '/a2a/echo/v1/tasks/00000000-0000-4000-8000-000000000000'
const hello = (text: string) => JSON.stringify({ message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text }] } })
const pathParameter = (name: string): RouteParameter => ({
  name,
  in: 'path',
  required: true,
  schema: { type: 'string' },
})

/** An example for an unknown task: the server assigns task ids, so an example can't know one. */
const unknown = (method: string, suffix = '', body?: string): RouteExample => ({
  name: 'Unknown task',
  method,
  path: `${UNKNOWN_TASK}${suffix}`,
  headers: body === undefined ? V1 : V1_JSON,
  ...(body === undefined ? {} : { body, bodyType: 'json' as const }),
  expectStatus: 404,
})
const post = (name: string, path: string, text: string, headers = V1_JSON): RouteExample => ({
  name,
  method: 'POST',
  path,
  headers,
  body: hello(text),
  bodyType: 'json',
  expectStatus: 200,
})

interface Row {
  template: Template
  methods: string[]
  summary: string
  examples: RouteExample[]
  query?: RouteParameter[]
  protocol?: 'sse'
  takesBody?: boolean
}

const count = (name: string): RouteParameter => ({ name, in: 'query', schema: { type: 'integer', minimum: 0 } })
const text = (name: string): RouteParameter => ({ name, in: 'query', schema: { type: 'string' } })
const CONFIG = '{"url":"/a2a/webhook-sink/demo","token":"t-1"}'

const ROWS: readonly Row[] = [
  {
    template: 'message:send',
    methods: ['POST'],
    summary: 'Send a message',
    takesBody: true,
    examples: [
      post('Task', '/a2a/weather/v1/message:send', 'What is the weather in Utrecht?'),
      post('Direct message', '/a2a/echo/v1/message:send', 'msg: hello'),
    ],
  },
  {
    template: 'message:stream',
    methods: ['POST'],
    summary: 'Send a message and stream the task',
    protocol: 'sse',
    takesBody: true,
    examples: [post('Trip', '/a2a/travel-planner/v1/message:stream', 'Plan a 2-day trip to Ghent')],
  },
  {
    template: 'tasks',
    methods: ['GET'],
    summary: 'List tasks (1.0)',
    query: [
      text('contextId'),
      text('status'),
      text('statusTimestampAfter'),
      { name: 'includeArtifacts', in: 'query', schema: { type: 'boolean' } },
      count('historyLength'),
      count('pageSize'),
      text('pageToken'),
    ],
    examples: [
      {
        name: 'Completed tasks',
        path: '/a2a/echo/v1/tasks?status=TASK_STATE_COMPLETED&pageSize=10',
        headers: V1,
        expectStatus: 200,
      },
    ],
  },
  {
    template: 'tasks/{id}',
    methods: ['GET'],
    summary: 'Get a task',
    query: [count('historyLength')],
    examples: [unknown('GET')],
  },
  {
    template: 'tasks/{id}:cancel',
    methods: ['POST'],
    summary: 'Cancel a task',
    examples: [unknown('POST', ':cancel')],
  },
  {
    template: 'tasks/{id}:subscribe',
    methods: ['GET', 'POST'],
    summary: 'Subscribe to a task',
    examples: [unknown('POST', ':subscribe'), unknown('GET', ':subscribe')],
  },
  {
    template: 'tasks/{id}/pushNotificationConfigs',
    methods: ['POST'],
    summary: 'Create a push notification config',
    takesBody: true,
    examples: [unknown('POST', '/pushNotificationConfigs', CONFIG)],
  },
  {
    template: 'tasks/{id}/pushNotificationConfigs',
    methods: ['GET'],
    summary: 'List push notification configs',
    examples: [unknown('GET', '/pushNotificationConfigs')],
  },
  {
    template: 'tasks/{id}/pushNotificationConfigs/{configId}',
    methods: ['GET'],
    summary: 'Get a push notification config',
    examples: [unknown('GET', '/pushNotificationConfigs/c-1')],
  },
  {
    template: 'tasks/{id}/pushNotificationConfigs/{configId}',
    methods: ['DELETE'],
    summary: 'Delete a push notification config',
    examples: [unknown('DELETE', '/pushNotificationConfigs/c-1')],
  },
  {
    template: 'extendedAgentCard',
    methods: ['GET'],
    summary: 'Get the extended agent card',
    examples: [{ name: 'Without a token', path: '/a2a/secure/v1/extendedAgentCard', headers: V1, expectStatus: 401 }],
  },
  {
    template: 'card',
    methods: ['GET'],
    summary: 'Get the agent card',
    examples: [{ name: 'Card', path: '/a2a/echo/v1/card', headers: V1, expectStatus: 200 }],
  },
]

const described = ROWS.map(row => ({ row, description: describeRow(row) }))

export const HTTP_JSON: readonly RouteDescription[] = described.map(({ description }) => description)

/** The description of a method of a path template. */
export function descriptionOf(template: Template, method: string): RouteDescription {
  return described.find(({ row }) => row.template === template && row.methods.includes(method))!.description
}

function describeRow({ template, methods, summary, examples, query = [], protocol, takesBody }: Row): RouteDescription {
  const names = templateParameters(template).map(({ name }) => name)
  return {
    path: `/a2a/{agent}/v1/${template}`,
    methods,
    category: 'A2A Agents',
    summary: `HTTP+JSON: ${summary}`,
    ...(protocol ? { protocol } : {}),
    parameters: [AGENT_PARAMETER, ...names.map(pathParameter), ...query, VERSION_PARAMETER, FAIL_PARAMETER],
    ...(takesBody ? { requestBody: { required: true, content: { 'application/json': { type: 'object' } } } } : {}),
    responses: {
      200: { description: 'The result' },
      307: { description: 'The fault `redirect`' },
      '4XX': { description: 'An error in the format of google.rpc.Status' },
      500: { description: 'The fault `rpc-error`' },
    },
    examples,
  }
}
