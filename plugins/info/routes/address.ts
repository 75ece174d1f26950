/** `/ip`, `/ip/v4`, `/ip/v6`. */
import { isIPv6 } from 'node:net'
import { describe, type FastifyInstance, type FastifyRequest, type RouteDescription, type Svc } from 'svc/plugin'
import { jsonReply, nullable, object, TEXT } from 'svc/toolkit'

function describeAddress(
  path: string,
  summary: string,
  { description, members }: { description: string; members: readonly string[] },
): RouteDescription {
  return {
    category: 'Info & Random',
    summary,
    negotiated: true,
    responses: { 200: { description } },
    reply: jsonReply(object(Object.fromEntries(members.map(name => [name, nullable(TEXT)])))),
    examples: [{ name: 'Address', path, expectStatus: 200 }],
  }
}

export function registerAddress(app: FastifyInstance, svc: Svc): void {
  const addresses = (request: FastifyRequest): { ipv4: string | null; ipv6: string | null } => {
    const ip = svc.http.clientIp(request)
    return isIPv6(ip) ? { ipv4: null, ipv6: ip } : { ipv4: ip, ipv6: null }
  }
  app.get(
    '/ip',
    describe(
      describeAddress('/ip', 'Address of the client', {
        description: '`ipv4` and `ipv6`; one of them is null',
        members: ['ipv4', 'ipv6'],
      }),
    ),
    (request, reply) => {
      return svc.http.negotiate(request, reply, addresses(request))
    },
  )
  app.get(
    '/ip/v4',
    describe(
      describeAddress('/ip/v4', 'IPv4 address of the client', { description: '`ipv4`, or null', members: ['ipv4'] }),
    ),
    (request, reply) => {
      return svc.http.negotiate(request, reply, { ipv4: addresses(request).ipv4 })
    },
  )
  app.get(
    '/ip/v6',
    describe(
      describeAddress('/ip/v6', 'IPv6 address of the client', { description: '`ipv6`, or null', members: ['ipv6'] }),
    ),
    (request, reply) => {
      return svc.http.negotiate(request, reply, { ipv6: addresses(request).ipv6 })
    },
  )
}
