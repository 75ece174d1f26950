/** `/cookies` and below: shows, sets and deletes cookies. */
import {
  describe,
  isFlagSet,
  readQuery,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteDescription,
  type RouteParameter,
  type Svc,
} from 'svc/plugin'
import { parseCookies } from 'svc/toolkit'
import { checkName, cookiesIn, formatCookie, formatDeletion, readAttributes, readDomain, readPath } from '../cookie.ts'
import { COOKIES } from '../replies.ts'

const shared = { category: 'Redirects & Cookies', negotiated: true } satisfies Partial<RouteDescription>
const place: RouteParameter[] = [
  { name: '_path', in: 'query', schema: { type: 'string', default: '/' } },
  { name: '_domain', in: 'query', schema: { type: 'string' } },
]
const attributes: RouteParameter[] = [
  ...place,
  { name: '_maxage', in: 'query', description: 'Seconds', schema: { type: 'integer' } },
  { name: '_secure', in: 'query', schema: { type: 'boolean' } },
  { name: '_httponly', in: 'query', schema: { type: 'boolean' } },
  {
    name: '_samesite',
    in: 'query',
    description: '`None` also sets `Secure`',
    schema: { type: 'string', enum: ['Strict', 'Lax', 'None'] },
  },
]
const anyCookie: RouteParameter = {
  name: 'flavor',
  in: 'query',
  description: 'Any cookie name, with its value; at most 20',
  schema: { type: 'string' },
}
const toCookies = {
  302: { description: 'Redirect to `/cookies`, with a `Set-Cookie` header per cookie' },
  400: { description: 'A cookie name or attribute is invalid' },
}

const show: RouteDescription = {
  ...shared,
  summary: 'Show the cookies of the request',
  reply: COOKIES,
  responses: { 200: { description: '`{"cookies": {name: value}}`' } },
  examples: [
    {
      name: 'Two cookies',
      path: '/cookies',
      headers: [{ name: 'Cookie', value: 'flavor=oat; size=2' }],
      expectStatus: 200,
    },
  ],
}
const set: RouteDescription = {
  ...shared,
  summary: 'Set the cookies in the query',
  parameters: [anyCookie, ...attributes],
  responses: toCookies,
  examples: [
    { name: 'Two cookies', path: '/cookies/set?flavor=oat&size=2', expectStatus: 302 },
    { name: 'With attributes', path: '/cookies/set?id=7&_httponly&_samesite=lax&_maxage=60', expectStatus: 302 },
  ],
}
const setOne: RouteDescription = {
  ...shared,
  summary: 'Set the cookie in the path',
  parameters: [
    { name: 'name', in: 'path', required: true, schema: { type: 'string' } },
    { name: 'value', in: 'path', required: true, schema: { type: 'string' } },
    ...attributes,
  ],
  responses: toCookies,
  examples: [{ name: 'One cookie', path: '/cookies/set/flavor/oat', expectStatus: 302 }],
}
const remove: RouteDescription = {
  ...shared,
  summary: 'Delete cookies',
  description: '`_path` and `_domain` must match the values the cookies were set with.',
  parameters: [anyCookie, ...place],
  responses: toCookies,
  examples: [{ name: 'Delete one', path: '/cookies/delete?flavor', expectStatus: 302 }],
}

export function registerCookies(app: FastifyInstance, svc: Svc): void {
  app.get('/cookies', describe(show), (request, reply) => {
    return svc.http.negotiate(request, reply, { cookies: Object.fromEntries(parseCookies(request.headers.cookie)) })
  })

  app.get('/cookies/set', describe(set), (request, reply) => {
    const query = readQuery(request)
    const cookieAttributes = readAttributes(query, flag => isFlagSet(request, flag))
    return sendCookies(
      request,
      reply,
      [...cookiesIn(query)].map(([name, value]) => formatCookie(name, value, cookieAttributes)),
    )
  })

  app.get<{ Params: { name: string; value: string } }>(
    '/cookies/set/:name/:value',
    describe(setOne),
    (request, reply) => {
      const { name, value } = request.params
      const cookieAttributes = readAttributes(readQuery(request), flag => isFlagSet(request, flag))
      checkName(name)
      return sendCookies(request, reply, [formatCookie(name, value, cookieAttributes)])
    },
  )

  app.get('/cookies/delete', describe(remove), (request, reply) => {
    const query = readQuery(request)
    const [path, domain] = [readPath(query), readDomain(query)]
    return sendCookies(
      request,
      reply,
      [...cookiesIn(query).keys()].map(name => formatDeletion(name, path, domain)),
    )
  })

  function sendCookies(request: FastifyRequest, reply: FastifyReply, lines: string[]): FastifyReply {
    reply.code(302).headers({ Location: svc.http.path(request, '/cookies'), Vary: 'Accept' })
    if (lines.length > 0) reply.header('Set-Cookie', lines)
    return reply.send()
  }
}
