/**
 * Unmodified clients use mocks like the real API.
 * Runs alone: the package undici, which other files import, replaces the dispatcher of the built-in fetch with one that
 * rejects the Content-Length of Stripe's client.
 */
import t from 'tap'
import { inspect } from 'node:util'
import axios from 'axios'
import got from 'got'
import createClient from 'openapi-fetch'
import { OpenAPIClientAxios } from 'openapi-client-axios'
import { Octokit } from '@octokit/rest'
import { RequestError } from '@octokit/request-error'
import Stripe from 'stripe'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonObject } from '../../plugins/mocks/document/json.ts'
import { mockServer } from '../integration/mocks/client.ts'
import { answering, documentOf } from '../integration/mocks/document.ts'

// Starting a server can take seconds on a busy machine.
t.setTimeout(600_000)

const server = await mockServer(t)
const petstore = `${server.url}/mock/petstore/v1`

interface Pet {
  id: number
  name: string
  tag?: string | null
  status?: string
}
/** The types of the petstore that this test uses, as a generator would write them. */
interface Paths {
  '/pets/{id}': {
    get: {
      parameters: { path: { id: number } }
      responses: {
        200: { content: { 'application/json': Pet } }
        404: { content: { 'application/json': { code: number; message: string } } }
      }
    }
  }
  '/pets': {
    post: {
      requestBody: { content: { 'application/json': { name: string } } }
      responses: { 201: { content: { 'application/json': Pet } } }
    }
  }
}

t.test('fetch, axios and got [MOCK-90]', async t => {
  t.match(await (await fetch(`${petstore}/pets/7`)).json(), { id: 7, name: 'Rex' })
  t.match((await axios.get(`${petstore}/pets/7`)).data, { id: 7, name: 'Rex' })
  const refused: unknown = await axios
    .get(`${petstore}/pets/7`, { headers: { Prefer: 'code=404' } })
    .catch((error: unknown) => error)
  t.match(refused, { response: { status: 404, data: { message: 'no such pet' } } })
  t.match(await got(`${petstore}/pets/7`).json(), { id: 7, name: 'Rex' })
  t.match(await got.post(`${petstore}/pets`, { json: { name: 'Rex' } }).json(), { id: 3 })
})

t.test('openapi-fetch with typed paths [MOCK-90]', async t => {
  const client = createClient<Paths>({ baseUrl: petstore })
  const found = await client.GET('/pets/{id}', { params: { path: { id: 7 } } })
  t.match(found.data, { id: 7, name: 'Rex' })
  const missing = await client.GET('/pets/{id}', { params: { path: { id: 7 } }, headers: { Prefer: 'code=404' } })
  t.same(missing.error, { code: 404, message: 'no such pet' })
  t.match((await client.POST('/pets', { body: { name: 'Rex' } })).data, { id: 3 })
})

t.test("openapi-client-axios, built from the mock's own document [MOCK-90] [MOCK-70]", async t => {
  const api = new OpenAPIClientAxios({ definition: `${server.url}/mock/petstore/openapi.json` })
  const client = await api.init()
  const call = (operation: string, ...args: unknown[]): Promise<{ status: number; data: unknown }> =>
    (client as unknown as Record<string, (...args: unknown[]) => Promise<{ status: number; data: unknown }>>)[
      operation
    ]!(...args)
  t.match((await call('getPetById', { id: 7 })).data, { id: 7 })
  t.match((await call('listPets', { limit: 5, status: 'sold' })).data, [{ id: 1 }])
  t.equal((await call('deletePet', { id: 7 })).status, 204)
  t.match((await call('createPet', null, { name: 'Rex' })).status, 201)
})

t.test('a validator accepts the effective document [MOCK-70] [MOCK-90]', async t => {
  t.match(
    await new Validator().validate((await server.call('/mock/petstore/openapi.json')).json as Record<string, unknown>),
    { valid: true },
  )
})

const text = { type: 'string' }
const GITHUB = documentOf({
  '/repos/{owner}/{repo}': {
    get: answering(
      {
        schema: {
          type: 'object',
          required: ['id', 'full_name', 'owner'],
          properties: {
            id: { type: 'integer' },
            full_name: text,
            private: { type: 'boolean' },
            owner: { type: 'object', required: ['login'], properties: { login: text } },
          },
        },
      },
      {
        operationId: 'repos/get',
        parameters: [
          { name: 'owner', in: 'path', required: true, schema: text },
          { name: 'repo', in: 'path', required: true, schema: text },
        ],
      },
    ),
  },
  '/repos/{owner}/{repo}/issues': {
    get: answering(
      {
        schema: {
          type: 'array',
          minItems: 2,
          items: {
            type: 'object',
            required: ['number', 'title'],
            properties: { number: { type: 'integer' }, title: text },
          },
        },
      },
      {
        operationId: 'issues/list-for-repo',
        parameters: [
          { name: 'per_page', in: 'query', schema: { type: 'integer', maximum: 100 } },
          { name: 'labels', in: 'query', schema: text },
        ],
      },
    ),
    post: {
      operationId: 'issues/create',
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: { type: 'object', required: ['title'], properties: { title: text } } },
        },
      },
      responses: {
        201: {
          description: 'ok',
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['number', 'title'],
                properties: { number: { type: 'integer' }, title: text },
              },
            },
          },
        },
      },
    },
  },
})

t.test('octokit reads repositories and issues, and reports errors of the mock [MOCK-90]', async t => {
  await server.mock('github', { spec: GITHUB, settings: { validation: 'enforce', echo: 'path+body' } })
  const octokit = new Octokit({ baseUrl: `${server.url}/mock/github`, auth: 'token' })
  t.match((await octokit.rest.repos.get({ owner: 'svc', repo: 'demo' })).data, { id: Number, owner: { login: String } })
  t.equal(
    (await octokit.rest.issues.listForRepo({ owner: 'svc', repo: 'demo', per_page: 50, labels: 'a,b' })).data.length,
    2,
  )
  t.equal(
    (await octokit.paginate(octokit.rest.issues.listForRepo, { owner: 'svc', repo: 'demo' })).length,
    2,
    'pages end',
  )
  t.match((await octokit.rest.issues.create({ owner: 'svc', repo: 'demo', title: 'Broken' })).data, { title: 'Broken' })
  const failure = await octokit.rest.issues
    .listForRepo({ owner: 'svc', repo: 'demo', per_page: 500 })
    .catch((error: unknown) => error)
  t.ok(failure instanceof RequestError && failure.status === 422)
  const { json } = await server.call('/_svc/mocks/github/requests?limit=1')
  t.match((json['requests'] as JsonObject[])[0], {
    operation: 'issues/list-for-repo',
    status: 422,
    violations: [{ in: 'query', path: '/per_page', keyword: 'maximum' }],
  })
})

const customer: JsonObject = {
  type: 'object',
  required: ['id', 'object', 'livemode'],
  properties: {
    id: { ...text, maxLength: 5000 },
    object: { type: 'string', enum: ['customer'] },
    email: { type: 'string', nullable: true },
    livemode: { type: 'boolean' },
    metadata: { type: 'object', additionalProperties: text },
  },
}
const STRIPE: JsonObject = {
  openapi: '3.0.0',
  info: { title: 'Payments', version: '1' },
  security: [{ basic: [] }, { bearer: [] }],
  paths: {
    '/v1/customers': {
      get: {
        operationId: 'GetCustomers',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer' } },
          {
            name: 'created',
            in: 'query',
            style: 'deepObject',
            explode: true,
            schema: { anyOf: [{ type: 'object', properties: { gt: { type: 'integer' } } }, { type: 'integer' }] },
          },
        ],
        responses: {
          200: {
            description: 'ok',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['data', 'has_more', 'object', 'url'],
                  properties: {
                    data: { type: 'array', items: { $ref: '#/components/schemas/customer' } },
                    has_more: { type: 'boolean' },
                    object: { type: 'string', enum: ['list'] },
                    url: { type: 'string', pattern: '^/v1/customers' },
                  },
                },
              },
            },
          },
        },
      },
      post: {
        operationId: 'PostCustomers',
        requestBody: {
          content: {
            'application/x-www-form-urlencoded': {
              encoding: { metadata: { style: 'deepObject', explode: true } },
              schema: {
                type: 'object',
                properties: {
                  email: text,
                  balance: { type: 'integer' },
                  metadata: { type: 'object', additionalProperties: text },
                },
              },
            },
          },
        },
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/customer' } } },
          },
          default: {
            description: 'error',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['error'],
                  properties: {
                    error: {
                      type: 'object',
                      required: ['type', 'message'],
                      properties: { type: { type: 'string', enum: ['invalid_request_error'] }, message: text },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
    '/v1/customers/{customer}': {
      get: {
        operationId: 'GetCustomer',
        parameters: [{ name: 'customer', in: 'path', required: true, schema: text }],
        responses: {
          200: {
            description: 'ok',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/customer' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: { customer },
    securitySchemes: { basic: { type: 'http', scheme: 'basic' }, bearer: { type: 'http', scheme: 'bearer' } },
  },
}

t.test('stripe retrieves, lists to the end and creates with a form [MOCK-90]', async t => {
  await server.mock('payments', { spec: STRIPE, settings: { validation: 'enforce', security: 'enforce' } })
  const { hostname, port } = new URL(server.url)
  // The route of a gateway would add the prefix.
  const throughGateway = ((url: string | URL | Request, init?: RequestInit) =>
    fetch(String(url).replace(/(:\d+)\/v1\//, '$1/mock/payments/v1/'), init).catch((error: unknown) => {
      // The client's error does not contain the connection error.
      t.fail(`${init?.method} ${String(url)} failed: ${inspect(error, { depth: 5 })}`)
      throw error
    })) as typeof fetch
  const stripe = new Stripe('sk_test_1', {
    host: hostname,
    port: Number(port),
    protocol: 'http',
    maxNetworkRetries: 0,
    httpClient: Stripe.createFetchHttpClient(throughGateway),
  })
  t.match(await stripe.customers.retrieve('cus_7'), { id: 'cus_7', object: 'customer' })
  const seen: string[] = []
  for await (const { id } of stripe.customers.list({ limit: 2, created: { gt: 5 } })) seen.push(id)
  t.equal(seen.length, 2, 'pages end')
  t.match(await stripe.customers.create({ email: 'a@example.com', balance: 5, metadata: { order: '7' } }), {
    object: 'customer',
  })
  const refused: unknown = await stripe.customers
    .create({ balance: 'much' as unknown as number })
    .catch((error: unknown) => error)
  t.match(refused, { statusCode: 422, rawType: 'invalid_request_error' })
  const { json } = await server.call('/_svc/mocks/payments/requests?operation=PostCustomers')
  t.match(json['requests'], [
    { violations: [{ in: 'body', path: '/balance' }] },
    { credential: 'bearer', violations: [] },
  ])
})
