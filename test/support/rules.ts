/** Requests to the routes of rules, for tests. */
import type { TestServer } from './server.ts'

export interface Reply {
  status: number
  headers: Headers
  text: string
  json: unknown
}

type Init = Omit<RequestInit, 'body'> & { body?: unknown; session?: string }

/** Sends a request; a body that is not a string is sent as JSON. */
export async function send(server: Pick<TestServer, 'url'>, target: string, init: Init = {}): Promise<Reply> {
  const [method, path] = target.includes(' ') ? (target.split(' ', 2) as [string, string]) : ['GET', target]
  const { body, session, ...rest } = init
  const response = await fetch(server.url + path, {
    method,
    redirect: 'manual',
    ...rest,
    headers: {
      ...(body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { 'x-svc-session': session }),
      ...(rest.headers as Record<string, string> | undefined),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Stores a rule of the instance, or of a session. */
export async function putRule(
  server: Pick<TestServer, 'url'>,
  name: string,
  rule: object,
  session?: string,
): Promise<Reply> {
  const reply = await send(server, `PUT /_svc/rules/${name}`, {
    body: rule,
    ...(session === undefined ? {} : { session }),
  })
  if (reply.status > 201) throw new Error(`${reply.status} ${reply.text}`)
  return reply
}
