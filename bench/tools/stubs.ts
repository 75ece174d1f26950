/** The stubs of the tools that are measured: the same response in the form of each. */

/** What the stub of each tool responds with, at the path `/stub`. */
export const STUB = { id: 7, name: 'Rex', tag: 'good', status: 'available' }
const JSON_TYPE = { 'Content-Type': 'application/json' }
/** The text of svc's reply to "hello", so that completions and streams have the same size. */
export const REPLY =
  "Hello! I'm svc, a mock model server for gateway demos. Ask me anything: the same question always gets the same answer. How can I help y"
/** The OpenAPI document that svc and its peers mock. */
export const PETS = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1' },
  paths: {
    '/pets/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: {
          200: {
            description: 'a pet',
            content: {
              'application/json': {
                schema: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
                example: STUB,
              },
            },
          },
        },
      },
    },
  },
}

/** A file of aimock, 45 tokens for the words that the cases send. */
export const AIMOCK = {
  fixtures: [{ match: { userMessage: 'hello' }, response: { content: REPLY }, chunkSize: 3, latency: 0 }],
}

/** An environment of Mockoon with two routes; it has no server without a file. */
export const MOCKOON = {
  uuid: '00000000-0000-4000-8000-000000000000',
  lastMigration: 33,
  name: 'bench',
  endpointPrefix: '',
  latency: 0,
  port: 0,
  hostname: '127.0.0.1',
  folders: [],
  routes: [mockoonRoute(1, 'stub', JSON.stringify(STUB)), mockoonRoute(3, 'pets/:id', JSON.stringify(STUB))],
  rootChildren: [1, 3].map(number => ({ type: 'route', uuid: uuid(number) })),
  proxyMode: false,
  proxyHost: '',
  proxyRemovePrefix: false,
  tlsOptions: { enabled: false, type: 'CERT', pfxPath: '', certPath: '', keyPath: '', caPath: '', passphrase: '' },
  cors: true,
  headers: [],
  proxyReqHeaders: [],
  proxyResHeaders: [],
  data: [],
  callbacks: [],
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-00000000000${number}`
}

function mockoonRoute(number: number, endpoint: string, body: string): object {
  const response = {
    uuid: uuid(number + 1),
    body,
    latency: 0,
    statusCode: 200,
    label: '',
    headers: [{ key: 'Content-Type', value: 'application/json' }],
    bodyType: 'INLINE',
    filePath: '',
    databucketID: '',
    sendFileAsBody: false,
    rules: [],
    rulesOperator: 'OR',
    disableTemplating: false,
    fallbackTo404: false,
    default: true,
    crudKey: 'id',
    callbacks: [],
  }
  return {
    uuid: uuid(number),
    type: 'http',
    documentation: '',
    method: 'get',
    endpoint,
    responses: [response],
    responseMode: null,
    streamingMode: null,
    streamingInterval: 0,
  }
}

export const SVC_RULE = {
  name: 'stub',
  match: { path: '/stub' },
  then: { respond: { status: 200, headers: JSON_TYPE, body: STUB } },
}

export const WIREMOCK_STUB = {
  request: { method: 'GET', urlPath: '/stub' },
  response: { status: 200, headers: JSON_TYPE, jsonBody: STUB },
}

/** A chat completion as a stub, in the form of OpenAI's API. */
export const WIREMOCK_CHAT = {
  request: { method: 'POST', urlPath: '/v1/chat/completions' },
  response: {
    status: 200,
    headers: JSON_TYPE,
    jsonBody: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_750_000_000,
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: REPLY }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 8, completion_tokens: 45, total_tokens: 53 },
    },
  },
}

export const MOCKSERVER_STUB = {
  httpRequest: { method: 'GET', path: '/stub' },
  httpResponse: { statusCode: 200, headers: JSON_TYPE, body: JSON.stringify(STUB) },
}

/** Sends a stub to the control plane of a tool. */
export async function putStub(url: string, method: string, stub: object): Promise<void> {
  const response = await fetch(url, { method, headers: JSON_TYPE, body: JSON.stringify(stub) })
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
}
