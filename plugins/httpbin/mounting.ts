/** Adds the operations of an original to the routes, below a prefix. */
import {
  describe,
  type ErrorForm,
  type FastifyInstance,
  type FastifyReply,
  type RouteDescription,
  type Svc,
} from 'svc/plugin'
import { Call } from './call.ts'
import { Failure, NoSuchPath, renderFailure } from './failure.ts'
import { hintFor } from './elsewhere.ts'
import { methodsOf, type Methods, type Mount, type Operation, type Original } from './operation.ts'
import type { HttpbinOptions } from './options.ts'

export const CATEGORY = 'httpbin'
/** Prefix of the paths of an original. */
export const PREFIX = '/httpbin'

/** Adds the operations that the original has. */
export function addOperations(
  app: FastifyInstance,
  svc: Svc<HttpbinOptions>,
  mount: Mount,
  operations: readonly Operation[],
): void {
  for (const operation of operations) {
    const methods = methodsOf(operation, mount.original)
    if (methods === null) continue
    app.route({
      method: methods === 'any' ? [...app.supportedMethods] : [...methods, 'OPTIONS'],
      url: mount.path + toRouterPath(operation.path),
      // Routes of hosts are not in the catalog: their paths are not those of other hosts.
      ...(mount.path === mount.prefix ? describe(describeOperation(operation, methods, mount)) : {}),
      handler: (request, reply) => respond(new Call(request, reply, mount, svc), operation),
    })
  }
  if (mount.path !== '') svc.unroutedForm(mount.path, unroutedForm(mount))
}

function toRouterPath(template: string): string {
  return template.replace(/\{\*\w+\}/g, '*').replace(/\{(\w+)\}/g, ':$1')
}

async function respond(call: Call, operation: Operation): Promise<unknown> {
  try {
    return call.request.method === 'OPTIONS' ? sendOptions(call, operation) : await operation.handle(call)
  } catch (error) {
    if (error instanceof NoSuchPath) return call.svc.http.notFound(call.request, call.reply)
    if (!(error instanceof Failure)) throw error
    const { status, headers, body } = renderFailure(error, call.original)
    return call.reply.code(status).headers(headers).send(Buffer.from(body))
  }
}

function sendOptions(call: Call, operation: Operation): FastifyReply {
  if (call.isGo) return call.empty(200)
  const methods = methodsOf(operation, 'httpbin') as readonly string[]
  call.reply.header('Allow', [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', '))
  return call.empty(200)
}

function describeOperation(
  operation: Operation,
  methods: NonNullable<Methods>,
  { original, prefix }: Mount,
): RouteDescription {
  const { summary, description, parameters, protocol, takes, reply } = operation
  return {
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(takes === undefined ? {} : { takes }),
    // Browsers and other clients cannot send TRACE.
    ...(methods === 'any' ? {} : { methods: methods.filter(method => method !== 'TRACE') }),
    category: CATEGORY,
    responses: { ...describeSuccess(operation, original), default: { description: 'As the original responds' } },
    ...(reply === undefined ? {} : { reply }),
    examples: operation.examples.map(({ path, status = 200, ...example }) => ({
      ...example,
      path: prefix + path,
      expectStatus: status,
    })),
  }
}

/** The usual response. The members of go-httpbin's JSON differ. */
function describeSuccess({ reply, examples }: Operation, original: Original): RouteDescription['responses'] {
  const status = examples[0]?.status
  if (typeof status === 'number' && status >= 300 && status < 400) return { '3XX': { description: 'The redirect' } }
  return reply !== undefined && original === 'httpbin' ? { 200: { description: 'The response of httpbin' } } : {}
}

/** The 404 and 405 of an original. A path that it does not have, but svc does, is named. */
function unroutedForm({ original, prefix }: Mount): ErrorForm {
  return ({ status, body }, { path }) => {
    const hint = status === 404 ? hintFor(path.slice(prefix.length), original) : null
    if (original === 'httpbin') {
      const title = status === 404 ? 'Not Found' : 'Method Not Allowed'
      const text = status === 404 ? 'httpbin has no such path.' : 'The path has other methods.'
      const page = `<!doctype html>\n<html lang="en">\n<title>${status} ${title}</title>\n<h1>${title}</h1>\n<p>${text}${hint === null ? '' : ` ${hint}`}</p>\n</html>\n`
      const headers: Record<string, string> = { 'Content-Type': 'text/html; charset=utf-8' }
      return { headers, body: page }
    }
    const headers: Record<string, string> = {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    }
    // Unlike httpbin, it does not list OPTIONS.
    if (Array.isArray(body.allow)) headers.Allow = body.allow.filter(method => method !== 'OPTIONS').join(', ')
    const text = status === 404 ? '404 page not found\n' : 'Method Not Allowed\n'
    return { headers, body: hint === null ? text : `${text}${hint}\n` }
  }
}
