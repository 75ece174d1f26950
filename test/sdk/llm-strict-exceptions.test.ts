/** Each refusal as the vendor's own client reads it: its class of exception, the type, and the message. */
import t, { type Test } from 'tap'
import Anthropic, { BadRequestError as AnthropicBadRequest } from '@anthropic-ai/sdk'
import { BedrockRuntimeClient, ConverseCommand, ValidationException } from '@aws-sdk/client-bedrock-runtime'
import { ApiError, GoogleGenAI } from '@google/genai'
import { ApiError as LatestApiError, GoogleGenAI as LatestGoogleGenAI } from 'genai-latest'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import OpenAI, { BadRequestError } from 'openai'
import LatestOpenAI, { BadRequestError as LatestBadRequestError } from 'openai-latest'
import { serveLlm } from '../support/llm-formats.ts'
import { MESSAGES_CASES } from '../support/strict-cases/anthropic.ts'
import { CLAUDE, CONVERSE_CASES } from '../support/strict-cases/converse.ts'
import { GEMINI_CASES } from '../support/strict-cases/gemini.ts'
import { CHAT_CASES, RESPONSES_CASES } from '../support/strict-cases/openai.ts'
import type { RuleCase } from '../support/strict.ts'

const server = await serveLlm(t, { env: { SVC_BODY_LIMIT: '16777216' } })
const enforce = (rule: string): string => `enforce; also=${rule}`

interface Thrown {
  status?: number
  message?: string
  [member: string]: unknown
}

/** Checks what a client throws for each case. `shown`: what the message of its exception has of the vendor's error. */
async function checkThrown(
  t: Test,
  cases: readonly RuleCase[],
  ask: (one: RuleCase) => Promise<unknown>,
  check: (t: Test, thrown: Thrown, one: RuleCase) => void,
): Promise<void> {
  t.ok(cases.length > 10)
  for (const one of cases) {
    let thrown: unknown
    try {
      await ask(one)
    } catch (error) {
      thrown = error
    }
    if (thrown === undefined) t.fail(`${one.rule}: nothing is thrown`)
    else check(t, thrown as Thrown, one)
  }
}

interface OpenAiError {
  error: { message?: string | RegExp; param?: string | null; code?: string | null }
}

for (const [name, Client, Exception] of [
  ['openai', OpenAI, BadRequestError],
  ['openai, newest', LatestOpenAI as never as typeof OpenAI, LatestBadRequestError as never as typeof BadRequestError],
] as const) {
  const client = new Client({ baseURL: `${server.url}/ai/openai/v1`, apiKey: 'sk-demo', maxRetries: 0 })
  const check = (t: Test, thrown: Thrown, { rule, error }: RuleCase): void => {
    t.ok(thrown instanceof Exception, `${rule}: ${String(thrown.message)}`)
    const { message, param, code } = (error as OpenAiError).error
    t.match(thrown, {
      status: 400,
      type: 'invalid_request_error',
      ...(param === undefined ? {} : { param }),
      ...(code === undefined ? {} : { code }),
    })
    if (typeof message === 'string') t.equal(thrown.message, `400 ${message}`)
    else if (message !== undefined) t.match(thrown.error, { message })
  }
  t.test(`${name}: chat completions`, t =>
    checkThrown(
      t,
      CHAT_CASES,
      ({ rule, body, headers }) =>
        client.chat.completions.create(body as never, { headers: { 'X-Svc-Validation': enforce(rule), ...headers } }),
      check,
    ),
  )
  t.test(`${name}: responses`, t =>
    checkThrown(
      t,
      RESPONSES_CASES,
      ({ rule, body, headers }) =>
        client.responses.create(body as never, { headers: { 'X-Svc-Validation': enforce(rule), ...headers } }),
      check,
    ),
  )
}

t.test('anthropic: messages [STR-43]', t => {
  const client = new Anthropic({ baseURL: `${server.url}/ai/anthropic`, apiKey: 'sk-demo', maxRetries: 0 })
  return checkThrown(
    t,
    MESSAGES_CASES,
    ({ rule, body, headers }) =>
      client.messages.create(body as never, { headers: { 'X-Svc-Validation': enforce(rule), ...headers } }),
    (t, thrown, { rule, error }) => {
      t.ok(thrown instanceof AnthropicBadRequest, `${rule}: ${String(thrown.message)}`)
      t.match(thrown, { status: 400, requestID: /^req_/, error })
    },
  )
})

t.test('bedrock: Converse', t => {
  const client = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: `${server.url}/ai/bedrock`,
    maxAttempts: 1,
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    requestHandler: new NodeHttpHandler(),
  })
  return checkThrown(
    t,
    CONVERSE_CASES,
    ({ rule, body, path = CLAUDE }) => {
      const command = new ConverseCommand({ modelId: decodeURIComponent(path.split('/')[4]!), messages: [] })
      // The client does not write some of these bodies.
      command.middlewareStack.add(
        next => args => {
          const request = args.request as { headers: Record<string, string>; body: string }
          request.headers['X-Svc-Validation'] = enforce(rule)
          request.body = JSON.stringify(body)
          delete request.headers['content-length']
          return next(args)
        },
        { step: 'build', priority: 'low' },
      )
      return client.send(command)
    },
    (t, thrown, { rule, error }) => {
      t.ok(thrown instanceof ValidationException, `${rule}: ${String(thrown.message)}`)
      t.match(thrown, { name: 'ValidationException', ...(error as object), $metadata: { httpStatusCode: 400 } })
    },
  )
})

for (const [name, Client, Exception] of [
  ['google-genai', GoogleGenAI, ApiError],
  [
    'google-genai, newest',
    LatestGoogleGenAI as never as typeof GoogleGenAI,
    LatestApiError as never as typeof ApiError,
  ],
] as const)
  t.test(`${name}: generateContent`, t =>
    checkThrown(
      t,
      GEMINI_CASES,
      ({ rule, body, path }) => {
        const model = /models\/([^:]+):/.exec(path ?? '')?.[1] ?? 'gemini-2.5-flash'
        const { contents, ...rest } = body as { contents: never }
        return new Client({
          apiKey: 'k',
          httpOptions: {
            baseUrl: `${server.url}/ai/gemini`,
            headers: { 'X-Svc-Validation': enforce(rule) },
            extraBody: { ...rest, contents },
          },
        }).models.generateContent({ model, contents: 'replaced by the body' })
      },
      (t, thrown, { rule, error }) => {
        t.ok(thrown instanceof Exception, `${rule}: ${String(thrown.message)}`)
        t.equal(thrown.status, 400)
        t.match(JSON.parse(String(thrown.message)), error as object)
      },
    ),
  )
