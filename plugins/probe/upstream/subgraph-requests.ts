/** Requests of a gateway to the subgraphs of svc. */

const ROUTE = '/graphql/subgraphs/'
const WEB_SOCKET = /^upgrade:[ \t]*websocket/im

interface SubgraphRequest {
  /** In front of `/graphql/subgraphs`. */
  prefix: string
  name: string
}

/** Null for other requests. */
export function subgraphRequest(head: string): SubgraphRequest | null {
  const [method = '', target = ''] = head.split('\n', 1)[0]!.split(' ', 2)
  const path = target.trim().split('?', 1)[0]!
  const at = path.lastIndexOf(ROUTE)
  if (at === -1 || !/^[A-Z]+$/.test(method)) return null
  const name = path.slice(at + ROUTE.length).replace(/\/(?:stream|ws)$/, '')
  if (!/^[\w-]{1,50}$/.test(name)) return null
  return { prefix: path.slice(0, at).replace(/^https?:\/\/[^/]*/, ''), name }
}

/** The subgraph accepts the socket, whose operations are watched one by one: a gateway may keep it for all of them. */
export const opensSocket = (head: string): boolean => WEB_SOCKET.test(head)

export function subgraphIn(head: Buffer): string | null {
  return subgraphRequest(head.toString('latin1'))?.name ?? null
}

/** Whether the path leads to the routes of the session `name`, not to the probe. */
export function isInSession(head: string, name: string): boolean {
  return head.split(' ', 2)[1]?.includes(`/s/${name}/`) === true
}
